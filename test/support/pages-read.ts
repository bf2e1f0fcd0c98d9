// Counts the pages that statements read, with the generic plans that prepared statements get.
import { Client } from 'pg';
import type { Mock } from 'vitest';

type Statement = { text: string; values: unknown[] };

/** Returns the statements with which a claim lists and takes due rows, from a spy on `Client.prototype.query`. */
export const claimStatements = (sent: Mock): Statement[] =>
  sent.mock.calls
    .map(([query]) => query as Statement)
    .filter(({ text }) => /where .*leased_by is null/s.test(text));

/** Executes the statements again, and returns how many pages they read. */
export async function pagesReadBy(databaseUrl: string, statements: Statement[]): Promise<number> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('set plan_cache_mode = force_generic_plan');
  type Explained = { 'QUERY PLAN': [{ Plan: Record<string, number> }] };
  let pages = 0;
  for (const { text, values } of statements) {
    const { rows } = await client.query<Explained>(`explain (analyze, buffers, format json) ${text}`, values);
    const plan = rows[0]?.['QUERY PLAN'][0].Plan ?? {};
    pages += (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
  }
  await client.end();
  return pages;
}
