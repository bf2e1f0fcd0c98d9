// The statements of a payment, by the database's own count.
import { query } from '../../harness/database/query.ts';

const MAX_SHOWN = 60;
const MAX_TEXT_LENGTH = 110;

/** While statements are not tracked, the extension costs nothing. */
export const ignoreStatements = (databaseUrl: string): Promise<void> => track(databaseUrl, 'none');

/** Counts from zero, in every connection within a moment. */
export async function trackStatements(databaseUrl: string): Promise<void> {
  await query(databaseUrl, 'create extension if not exists pg_stat_statements');
  await track(databaseUrl, 'top');
  await query(databaseUrl, 'select pg_stat_statements_reset()');
}

async function track(databaseUrl: string, which: 'none' | 'top'): Promise<void> {
  await query(databaseUrl, `alter system set pg_stat_statements.track = '${which}'`);
  await query(databaseUrl, 'select pg_reload_conf()');
}

/** The statements since tracking began, including begin and commit. Each is at most one round trip. */
export async function countStatements(databaseUrl: string): Promise<number> {
  const rows = await readStatements(databaseUrl);
  return rows.reduce((sum, { calls }) => sum + Number(calls), 0);
}

/** The calls and microseconds per payment of each statement, the most expensive first. The last row is the sum. */
export async function statementsPer(payments: number, databaseUrl: string): Promise<object[]> {
  const rows = await readStatements(databaseUrl);
  const shown = rows.slice(0, MAX_SHOWN).map(({ text, calls, ms }) => ({
    calls: Number(calls),
    ms,
    text: text.replaceAll(/\s+/g, ' ').slice(0, MAX_TEXT_LENGTH),
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

const readStatements = (databaseUrl: string) =>
  query<{ text: string; calls: string; ms: number }>(
    databaseUrl,
    `select query as text, calls, total_exec_time + total_plan_time as ms from pg_stat_statements
     where dbid = (select oid from pg_database where datname = current_database()) order by ms desc`,
  );
