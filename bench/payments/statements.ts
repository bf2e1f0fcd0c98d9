// The statements of a payment, by the database's own count.
import { Client } from 'pg';

const MOST_SHOWN = 60;
const LONGEST_TEXT = 110;

export async function forgetStatements(databaseUrl: string): Promise<void> {
  await ask(databaseUrl, 'create extension if not exists pg_stat_statements');
  await ask(databaseUrl, 'select pg_stat_statements_reset()');
}

/** Calls and microseconds a payment, the most expensive first; the last row is the sum. */
export async function statementsPer(payments: number, databaseUrl: string): Promise<object[]> {
  const rows = await ask<{ query: string; calls: string; ms: number }>(
    databaseUrl,
    `select query, calls, total_exec_time + total_plan_time as ms from pg_stat_statements
     where dbid = (select oid from pg_database where datname = current_database()) order by ms desc`,
  );
  const shown = rows.slice(0, MOST_SHOWN).map(({ query, calls, ms }) => ({
    calls: Number(calls),
    ms,
    text: query.replaceAll(/\s+/g, ' ').slice(0, LONGEST_TEXT),
  }));
  const all = rows.reduce((sum, { calls, ms }) => ({ calls: sum.calls + Number(calls), ms: sum.ms + ms }), {
    calls: 0,
    ms: 0,
  });
  return [...shown, { ...all, text: 'all' }].map(({ calls, ms, text }) => ({
    'calls/payment': (calls / payments).toFixed(2),
    'us/payment': Math.round((ms * 1_000) / payments),
    statement: text,
  }));
}

async function ask<Row extends object>(databaseUrl: string, text: string): Promise<Row[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}
