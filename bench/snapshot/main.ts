// `npm run bench:snapshot`: what the statements that the engine repeats every second read, without and with an old snapshot open in the
// database. While a snapshot is open, PostgreSQL keeps the former versions of all rows and their index entries.
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { statementsIn } from '../../scripts/statements.ts';
import { markdownTable } from '../markdown.ts';
import { type Contender, type Role, startContender } from '../payments/contender.ts';
import { ask } from '../payments/database.ts';
import { ourService } from '../payments/entrants.ts';
import { run } from '../payments/load.ts';
import { trackStatements } from '../payments/statements.ts';
import { machine } from '../requests/report.ts';

const { values: options } = parseArgs({
  options: {
    payments: { type: 'string', default: '5000' },
    rate: { type: 'string', default: '40' },
    users: { type: 'string', default: '200' },
    processes: { type: 'string', default: 'api,worker' },
    /** For how long the service is watched after the payments, without load. */
    'watched-seconds': { type: 'string', default: '15' },
  },
});
const [payments, rate, users, watched] = [
  options.payments,
  options.rate,
  options.users,
  options['watched-seconds'],
].map(Number) as [number, number, number, number];

type Read = { calls: number; pages: number; ms: number };

console.log(machine());
const names = new Map((await statementsIn()).map(({ name, text }) => [textOf(text), name]));
const without = await pagesRead(false);
const withOld = await pagesRead(true);
const rows = [...withOld]
  .toSorted(([, one], [, other]) => other.pages - one.pages)
  .filter(([name, { pages }]) => pages >= 20 || (without.get(name)?.pages ?? 0) >= 20)
  .map(([name, { pages, ms }]) => [
    name,
    (without.get(name)?.pages ?? 0).toFixed(0),
    pages.toFixed(0),
    (without.get(name)?.ms ?? 0).toFixed(2),
    ms.toFixed(2),
  ]);
console.log(markdownTable(['Statement', 'pages', 'with an old snapshot', 'ms', 'with it, ms'], rows));

/** Runs the payments, and returns what each statement reads per call afterwards. */
async function pagesRead(hasOldSnapshot: boolean): Promise<Map<string, Read>> {
  const one = await startContender(ourService(options.processes.split(',') as Role[]), users);
  const old = new Client({ connectionString: one.stack.databaseUrl });
  try {
    await old.connect();
    if (hasOldSnapshot) {
      await old.query('begin isolation level repeatable read');
      await old.query('select count(*) from effects');
    }
    const { errors } = await run(one.api, one.payers, { ratePerSecond: rate, seconds: payments / rate });
    for (const error of new Set(errors)) console.error(`ERROR  ${error}`);
    return await watch(one);
  } finally {
    await old.end();
    await one.stop();
  }
}

async function watch({ stack }: Contender): Promise<Map<string, Read>> {
  await ask(stack.databaseUrl, 'vacuum');
  await pause(2_000);
  await trackStatements(stack.databaseUrl);
  await pause(watched * 1_000);
  const read = await ask<Read & { query: string }>(
    stack.databaseUrl,
    `select query, calls::int, (shared_blks_hit + shared_blks_read)::float8 / calls as pages,
       mean_exec_time as ms
     from pg_stat_statements where calls > 2`,
  );
  return new Map(
    read.map(({ query, ...one }) => [names.get(textOf(query)) ?? textOf(query).slice(0, 60), one]),
  );
}

function textOf(statement: string): string {
  return statement.replace(/\s+/g, ' ').trim();
}
