// `npm run bench:history`: what claims, lists, vacuum, the nightly purge and the write-ahead log of a payment cost without history and with
// much of it. The history is one user's payments, copied for other users.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs, parseEnv } from 'node:util';
import { decodeJwt } from 'jose';
import { multiplyPerson } from '../../harness/database/many-people.ts';
import { query } from '../../harness/database/query.ts';
import { machine, markdownTable, quantile } from '../../harness/report.ts';
import { startOps } from '../../ops/start.ts';
import { runJob } from '../../src/jobs/run-by-hand.ts';
import { unattended } from '../../src/provider/caller.ts';
import { servicesFor } from '../../src/start/app.ts';
import { type Contender, startContender } from '../payments/contender.ts';
import { logPosition, storedTables, writtenBetween } from '../payments/database.ts';
import { ourService } from '../payments/entrants.ts';
import { run } from '../payments/load.ts';
import type { Payer } from '../payments/people.ts';
import { readStatements, watchStatements } from '../snapshot/watch.ts';
import { insertOldRows, OLD_ROWS } from './old-rows.ts';

const { values: options } = parseArgs({
  options: {
    payments: { type: 'string', default: '1000000' },
    /** Payments of each user in the history. */
    each: { type: 'string', default: '50' },
    rate: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '20' },
    users: { type: 'string', default: '100' },
  },
});
const [payments, each, rate, seconds, users] = [
  options.payments,
  options.each,
  options.rate,
  options.seconds,
  options.users,
].map(Number) as [number, number, number, number, number];

console.log(machine());
const contender = await startContender(ourService(['all']), users);
try {
  const [copied] = contender.payers;
  if (!copied) throw new Error('there are no payers');
  report((await run(contender.api, [copied], { ratePerSecond: 5, seconds: each / 5 })).errors);
  const without = await measure(contender);
  const begun = performance.now();
  await multiplyPerson(contender.stack.databaseUrl, userIdOf(copied), Math.ceil(payments / each));
  await query(contender.stack.databaseUrl, 'vacuum analyze');
  console.log(`wrote the history in ${Math.round((performance.now() - begun) / 1_000)} s`);
  const withHistory = await measure(contender);
  const rows = Object.keys(without).map((name) => [name, without[name] ?? '', withHistory[name] ?? '']);
  console.log(markdownTable(['', 'no history', `${payments.toLocaleString('en')} payments`], rows));
} finally {
  await contender.stop();
}

async function measure({ folder, stack, api, payers }: Contender): Promise<Record<string, string>> {
  const { databaseUrl } = stack;
  const tables = await storedTables(databaseUrl);
  const gib = tables.reduce((sum, { bytes }) => sum + bytes, 0) / 2 ** 30;
  // After a checkpoint, the first change of a page writes the whole page into the log.
  await query(databaseUrl, 'checkpoint');
  const from = await logPosition(databaseUrl);
  const { ids, errors } = await run(api, payers, { ratePerSecond: rate, seconds });
  report(errors);
  const { bytes } = await writtenBetween(databaseUrl, from, await logPosition(databaseUrl));
  const lists = await durationsOf(payers, (headers) =>
    api.request({ method: 'GET', path: '/transactions?limit=20', headers }),
  );
  await watchStatements(databaseUrl);
  const read = await readStatements(databaseUrl);
  const pages = (name: string): string => (read.get(name)?.pages ?? 0).toFixed(0);
  return {
    'tables and indexes, GiB': gib.toFixed(2),
    'write-ahead log of a payment after a checkpoint, KiB': (bytes / ids.length / 1_024).toFixed(0),
    'GET /transactions, 20 rows: median, ms': quantile(lists, 0.5).toFixed(1),
    'a claim of effects, pages': pages('effectWork.listDue'),
    'a claim of callbacks, pages': pages('callbackWork.listDue'),
    'a claim of polls, pages': pages('pollWork.listDue'),
    [`the purge of ${OLD_ROWS.toLocaleString('en')} old effects, callbacks and payloads, s`]: (
      await purge(folder, databaseUrl)
    ).toFixed(1),
    'vacuum of effects, ms': await msOf(() => query(databaseUrl, 'vacuum effects')),
    'vacuum of webhook_events, ms': await msOf(() => query(databaseUrl, 'vacuum webhook_events')),
  };
}

/** Runs the nightly purge, and checks that it removed every old row. Returns its seconds. */
async function purge(folder: string, databaseUrl: string): Promise<number> {
  await insertOldRows(databaseUrl);
  const { app, close } = await startOps(parseEnv(readFileSync(join(folder, 'stack.env'), 'utf8')));
  try {
    const begun = performance.now();
    const { counts } = (await runJob(servicesFor(app, unattended), 'purge-payloads')).run;
    const took = (performance.now() - begun) / 1_000;
    console.log(`purged in ${took.toFixed(1)} s: ${JSON.stringify(counts)}`);
    for (const name of ['effects removed', 'callbacks removed'])
      if (counts[name] !== OLD_ROWS) throw new Error(`${name}: ${counts[name]}`);
    return took;
  } finally {
    await close();
  }
}

type Request = (headers: Payer) => Promise<{ statusCode: number; body: { text: () => Promise<string> } }>;

async function durationsOf(payers: Payer[], request: Request): Promise<number[]> {
  const durations: number[] = [];
  for (const payer of payers) {
    const begun = performance.now();
    const { statusCode, body } = await request(payer);
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`answered ${statusCode} ${text}`);
    durations.push(performance.now() - begun);
  }
  return durations;
}

async function msOf(act: () => Promise<unknown>): Promise<string> {
  const begun = performance.now();
  await act();
  return (performance.now() - begun).toFixed(0);
}

/** The session token names its user. */
function userIdOf({ authorization }: Payer): string {
  return decodeJwt(authorization.replace('Bearer ', '')).sub ?? '';
}

function report(errors: string[]): void {
  for (const error of new Set(errors)) console.error(`ERROR  ${error}`);
}
