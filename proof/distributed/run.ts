// One run from beginning to end on a cluster of Citus: the schema is distributed, every statement is sent once, users pay, everything
// comes to rest, and the auditor compares both sides of the books.
import { setTimeout as pause } from 'node:timers/promises';
import { migrateDatabase, query } from '../../harness/database/query.ts';
import { seconds } from '../../harness/report.ts';
import { migrationDeadlines } from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { createOrm, dbOf } from '../../src/tables/orm.ts';
import { distribute } from '../../src/tables/schema/distribute.ts';
import { payAtRate } from '../failover/pay-at-rate.ts';
import type { AtEnd } from '../run-in-folder.ts';
import { createCounts } from '../stack/counts.ts';
import { gather, withMoney } from '../stack/people.ts';
import { auditAtRest, quiesce, violationsIn } from '../stack/quiesce.ts';
import { startStack } from '../stack/stack.ts';
import type { Options } from './options.ts';
import { refusedStatements } from './statements.ts';

export type Result = { table: string; violations: string[] };

/** The settings of the service on a cluster. */
const SETTINGS = { DATABASE_PLANS: 'custom', DECISIONS_PER_COMMIT: '1' };
const PROCESSES = 2;
const LOOK_EVERY_MS = 100;

export async function run(options: Options, folder: string, atEnd: AtEnd): Promise<Result> {
  const { url } = options;
  await assertEmpty(url);
  const [versions = ''] = await query<{ citus: string; postgres: string; workers: number }>(
    url,
    `select extversion as citus, current_setting('server_version') as postgres,
       (select count(*)::int from citus_get_active_worker_nodes()) as workers
     from pg_extension where extname = 'citus'`,
  ).then((rows) =>
    rows.map((row) => `Citus ${row.citus}, PostgreSQL ${row.postgres}, ${row.workers} workers`),
  );
  say(versions);
  await migrateDatabase(url);
  const distributed = await distributeTables(url);
  say(`${distributed} tables have their places`);
  const statements = await refusedStatements(url);
  say(`${statements.run} statements, ${statements.refused.length} refused`);

  const startDatabase = async () => ({ url });
  const stack = await startStack(folder, { processes: PROCESSES, startDatabase, settings: SETTINGS }, atEnd);
  const counts = createCounts();
  const { urls, sandboxUrl, shown, orders } = stack;
  say('people join');
  const people = withMoney(await gather({ urls, sandboxUrl, seed: 0, counts, shown }, options.users));
  // From its next start on, the second process makes payments in two conversions.
  stack.turnTwoHopOn();
  stack.instances[1]?.kill();
  say('people pay');
  const begunAt = Date.now();
  const isQuiet = () => counts.accepted.payments >= options.payments;
  const paying = payAtRate({ counts, orders, isQuiet }, people, options.paymentsPerSecond);
  while (!isQuiet()) {
    await pause(LOOK_EVERY_MS);
  }
  const refused = await paying;
  const lastedMs = Date.now() - begunAt;
  say(`${counts.accepted.payments} payments were accepted; they come to their ends`);
  const rest = await quiesce(stack, (remaining) => say(`under way: ${remaining}`));
  const findings = await auditAtRest(stack, people, rest);
  const violations = [
    ...statements.refused.map(({ name, reason }) => `${name} is refused: ${reason}`),
    ...violationsIn(findings),
    ...refused.map((what) => `a client: ${what}`),
  ];
  const rows = [
    ['Engine', versions],
    ['Tables with their places', String(distributed)],
    ['Statements sent with sample values', `${statements.run}, ${statements.refused.length} refused`],
    ['Payments accepted', `${counts.accepted.payments} in ${seconds(lastedMs)}`],
    ['Violations found by the auditor', String(violationsIn(findings).length)],
  ];
  return {
    table: ['| | |', '|---|---|', ...rows.map(([name, value]) => `| ${name} | ${value} |`)].join('\n'),
    violations,
  };
}

async function distributeTables(url: string): Promise<number> {
  const orm = await createOrm(createPool(url, 1, migrationDeadlines));
  try {
    return (await distribute(dbOf(orm))).length;
  } finally {
    await orm.close(true);
  }
}

/** @throws Error if the database has tables, because the run would mix its rows with theirs. */
async function assertEmpty(url: string): Promise<void> {
  const [tables] = await query<{ many: number }>(
    url,
    `select count(*)::int as many from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  if (tables?.many) throw new Error(`the database has ${tables.many} tables: name an empty one`);
}

const say = (what: string): void => console.log(`distributed: ${what}`);
