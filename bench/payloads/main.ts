// `npm run bench:payloads`: removes the payloads of many callbacks while others arrive, on its own database. With `--in callbacks` the
// payloads are with their callbacks, as versions before the tables of days left them, and are removed row by row.
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs, parseEnv } from 'node:util';
import { sql } from 'kysely';
import { startOps } from '../../packages/ops/src/start.ts';
import { freePort } from '../../scripts/free-port.ts';
import { startLocalStack } from '../../scripts/local-stack.ts';
import { runJob } from '../../src/jobs/run-by-hand.ts';
import type { Db } from '../../src/platform/database/orm.ts';
import { slotOf } from '../../src/platform/sql/webhook-payloads.ts';

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '300000' },
    bytes: { type: 'string', default: '700' },
    /** The place of the payloads: `tables` of days, or `callbacks`. */
    in: { type: 'string', default: 'tables' },
    'callbacks-per-second': { type: 'string', default: '20' },
    /** How long callbacks are measured while nothing else runs. */
    'alone-seconds': { type: 'string', default: '15' },
  },
});
const MANY = Number(options.rows);
const BATCH_SIZE = 50_000;
const generatedAt = new Date();
const ALONE_MS = Number(options['alone-seconds']) * 1_000;

const folder = mkdtempSync(join(tmpdir(), 'ponte-bench-'));
chmodSync(folder, 0o755);
const stack = await startLocalStack({
  folder,
  port: await freePort(),
  sandboxPort: await freePort(),
  env: { SANDBOX_SETTLE_MS: '0', SANDBOX_ACTIVATE_MS: '0' },
});
const { app, close } = await startOps(parseEnv(readFileSync(join(folder, 'stack.env'), 'utf8')));

try {
  console.log(`${cpus().length} x ${cpus()[0]?.model}, Node ${process.version}`);
  await generate(app.db);
  const address = `${stack.url}/webhooks/provider/${app.config.webhookSecret}`;
  const perSecond = Number(options['callbacks-per-second']);
  // Measures the latency of a callback while nothing is removed: without it, the figures during the job say little.
  const alone = callAgainAndAgain(address, perSecond);
  await pause(ALONE_MS);
  const aloneMs = await alone.stop();
  const calls = callAgainAndAgain(address, perSecond);
  const pagesMs: number[] = [];
  const begun = performance.now();
  let before = begun;
  const { run } = await runJob(app, 'purge-payloads', {
    onProgress: () => {
      pagesMs.push(performance.now() - before);
      before = performance.now();
    },
  });
  const tookSeconds = (performance.now() - begun) / 1_000;
  const callsMs = await calls.stop();
  console.log(`${MANY} payloads removed in ${tookSeconds.toFixed(2)} s: ${JSON.stringify(run.counts)}`);
  console.table({
    'a page': spread(pagesMs),
    'callback beside it': spread(callsMs),
    'callback alone': spread(aloneMs),
  });
} finally {
  await close();
  await stack.stop();
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Inserts processed callbacks, one after the other, over eight days. The last day ended more than ninety days ago, and none of their
 * tables is in use today.
 */
async function generate(db: Db): Promise<void> {
  const payload = sql`decode(repeat('ab', ${Number(options.bytes)}), 'hex')`;
  const isInTables = options.in === 'tables';
  for (let from = 0; from < MANY; from += BATCH_SIZE) {
    await sql`
      insert into webhook_events
        (id, provider, identity, event_type, payload_sealed, status, attempts, received_at, processed_at)
      select md5(n::text)::uuid, 'sandbox', sha256(n::text::bytea), 'card.frozen',
        ${isInTables ? sql`''` : payload}, 'ignored', 1, at, at
      from ${processedAt(from)}
    `.execute(db);
    if (isInTables)
      await sql`
        insert into webhook_payloads (received_at, event_id, slot, payload_sealed)
        select at, md5(n::text)::uuid, ${slotOf(sql`at`)}, ${payload} from ${processedAt(from)}
      `.execute(db);
  }
  await sql`vacuum analyze webhook_events`.execute(db);
}

/** The numbers of a batch of callbacks, and when each was processed. */
function processedAt(from: number) {
  return sql`
    generate_series(${from + 1}::int, ${Math.min(from + BATCH_SIZE, MANY)}::int) n
    cross join lateral (
      select date_trunc('milliseconds', ${generatedAt}::timestamptz) - interval '99 days'
        + n * (interval '8 days' / ${MANY}::int) as at
    )`;
}

/** Sends an honest provider's callbacks until it is stopped. */
function callAgainAndAgain(address: string, perSecond: number): { stop: () => Promise<number[]> } {
  const tookMs: number[] = [];
  const inHand = new Set<Promise<void>>();
  let isRunning = true;
  const call = async (): Promise<void> => {
    const begun = performance.now();
    const body = { event: 'card.frozen', data: { uuid: crypto.randomUUID() }, updated_at: new Date() };
    const headers = { 'content-type': 'application/json' };
    const { ok } = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!ok) throw new Error('a callback was refused');
    tookMs.push(performance.now() - begun);
  };
  const calling = (async () => {
    while (isRunning) {
      const one = call().finally(() => inHand.delete(one));
      inHand.add(one);
      await pause(1_000 / perSecond);
    }
  })();
  return {
    stop: async () => {
      isRunning = false;
      await calling;
      await Promise.all(inHand);
      return tookMs;
    },
  };
}

/** The median and other quantiles, in milliseconds. */
function spread(ms: number[]): Record<string, number> {
  const sorted = ms.toSorted((a, b) => a - b);
  const at = (share: number): number => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
  const over = ms.filter((one) => one >= 100).length;
  return {
    many: ms.length,
    median: at(0.5),
    '90 %': at(0.9),
    '99 %': at(0.99),
    most: at(1),
    '>= 100 ms': over,
  };
}
