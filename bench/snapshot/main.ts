// `npm run bench:snapshot`: what the statements that the engine repeats every second read, without and with an old snapshot open in the
// database. While a snapshot is open, PostgreSQL keeps the former versions of all rows and their index entries.
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { query } from '../../harness/database/query.ts';
import { machine, markdownTable } from '../../harness/report.ts';
import { type Role, startContender } from '../payments/contender.ts';
import { ourService } from '../payments/entrants.ts';
import { run } from '../payments/load.ts';
import { type Read, readStatements, watchStatements } from './watch.ts';

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

/** After the last payment, its callbacks are still processed, and recent work is read. */
const SETTLED_AFTER_MS = 20_000;
/** Other statements are shown if they read this many. */
const MANY_PAGES = 20;

console.log(machine());
const without = await pagesRead(false);
const withOld = await pagesRead(true);
const rows = [...withOld]
  .toSorted(([, one], [, other]) => other.pages - one.pages)
  .filter(([name, { pages }]) => isOfTheEngine(name) || pages >= MANY_PAGES)
  .map(([name, { pages, ms }]) => [
    name,
    (without.get(name)?.pages ?? 0).toFixed(0),
    pages.toFixed(0),
    (without.get(name)?.ms ?? 0).toFixed(2),
    ms.toFixed(2),
  ]);
console.log(markdownTable(['Statement', 'pages', 'with an old snapshot', 'ms', 'with it, ms'], rows));

function isOfTheEngine(name: string): boolean {
  return name.startsWith('claim') || name.endsWith('Leases');
}

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
    await query(one.stack.databaseUrl, 'vacuum');
    await pause(SETTLED_AFTER_MS);
    await watchStatements(one.stack.databaseUrl, watched);
    return await readStatements(one.stack.databaseUrl);
  } finally {
    await old.end();
    await one.stop();
  }
}
