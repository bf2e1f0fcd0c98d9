// Watches a service without load, and says what each of its statements reads.
import { setTimeout as pause } from 'node:timers/promises';
import { query } from '../../harness/database/query.ts';
import { statementsIn } from '../../scripts/statements.ts';
import { trackStatements } from '../payments/statements.ts';

/** The mean of a statement's calls. */
export type Read = { pages: number; ms: number };

/** Counts the statements of the next seconds from zero. */
export async function watchStatements(databaseUrl: string, seconds = 15): Promise<void> {
  await trackStatements(databaseUrl);
  await pause(seconds * 1_000);
}

/** Reads what the statements have read, by their names in src/tables/. */
export async function readStatements(databaseUrl: string): Promise<Map<string, Read>> {
  const names = new Map((await statementsIn()).map(({ name, text }) => [shapeOf(text), name]));
  const read = await query<Read & { text: string }>(
    databaseUrl,
    `select query as text, (shared_blks_hit + shared_blks_read)::float8 / calls as pages, mean_exec_time as ms
     from pg_stat_statements where calls > 2`,
  );
  return new Map(
    read.map(({ text, ...one }) => [names.get(shapeOf(text)) ?? shapeOf(text).slice(0, 60), one]),
  );
}

/** Returns a statement without its parameters and literals, for which the extension writes parameters of its own. */
function shapeOf(statement: string): string {
  const literals = /'[^']*'|\$\d+|\b\d+\b|(?<!is |not )\bnull\b|\btrue\b|\bfalse\b/g;
  return statement.replaceAll(literals, '?').replaceAll(/\s+/g, ' ').trim();
}
