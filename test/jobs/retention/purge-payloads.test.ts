// Payloads of callbacks are kept for ninety days after the day on which they were processed, and longer only while their transaction
// is unresolved. The identity stays, so that the callback cannot be stored again. test/jobs/retention/payload-tables.test.ts has the
// tables of the days.
import { randomUUID } from 'node:crypto';
import { sql, type Updateable } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { runJob } from '../../../src/jobs/run-by-hand.ts';
import { createPool } from '../../../src/platform/database/pool.ts';
import { createDataKeys } from '../../../src/security/data-keys.ts';
import { encryptionContexts } from '../../../src/security/encryption-contexts.ts';
import type { Tables } from '../../../src/tables/entities.ts';
import {
  isPayloadStored,
  listKeptPayloads,
  PAYLOADS_PAGE_SIZE,
  removePayloads,
  requeueWebhookEvent,
} from '../../../src/tables/webhook-events/statements.ts';
import { opsHere } from '../../ops/support.ts';
import { byTable } from '../../support/by-table.ts';
import { fill } from '../../support/fill.ts';
import { whileLocked } from '../../support/locks.ts';
import { workIn } from '../../support/outbox.ts';
import { must, pay, quote, reaches } from '../../support/person.ts';
import { until } from '../../support/until.ts';
import { useWorld } from '../../support/use-world.ts';

const DAY_MS = 24 * 60 * 60_000;
const YEAR_MS = 366 * DAY_MS;
const JOB = 'purge-payloads';

let stuck: string;

/** Runs the job as in the night this many days from now. @returns its counts. */
const nightIn = (days: number, run = randomUUID()) =>
  world.clock.later(days * DAY_MS, async () => (await runJob(app(), JOB, { run })).run.counts);

const { world, ada, app, db } = useWorld({ deposit: '500.00' });
beforeAll(async () => {
  await reaches(ada, await pay(ada, await quote(ada, 20)), 'completed');
  stuck = await pay(ada, await quote(ada, 21), { pixKey: 'recover@pix.example', pixKeyType: 'email' });
  await reaches(ada, stuck, 'payout_failed');
  await until(unprocessed, (count) => count === 0);
});

test('a payload is removed in the night after its ninetieth full day and not a day before, and its outcome stays', async () => {
  const before = await events();
  expect(before.length).toBeGreaterThan(10);
  expect(await nightIn(89.9)).toEqual({});
  expect(await monthKeys()).toHaveLength(1);
  expect((await events()).every(({ size }) => size > 0)).toBe(true);

  const needed = before.filter(({ status }) => status === 'pending');
  expect(needed.length).toBeGreaterThan(0);
  expect(await nightIn(91.1)).toMatchObject({
    'payload days removed': expect.any(Number) as number,
    'payloads kept for now': needed.length,
  });
  const after = await events();
  const withoutSizes = (rows: typeof after) => rows.map((row) => ({ ...row, size: null }));
  expect(withoutSizes(after)).toEqual(withoutSizes(before));
  expect(after.filter(({ size }) => size > 0)).toEqual(needed);
});

test('a payload of an unresolved payment is kept until the first night after the payment is resolved', async () => {
  expect(Object.keys(await nightIn(400))).toEqual(['payloads kept for now']);
  must(await ada.api.POST('/pix/payments/{id}/retry', { params: { path: { id: stuck } } }));
  await reaches(ada, stuck, 'completed');
  await until(unprocessed, (count) => count === 0);
  const counts = await nightIn(401);
  expect(counts['payloads removed']).toBeGreaterThan(0);
  expect(counts['payloads kept for now']).toBeUndefined();
  expect((await events()).filter(({ size }) => size > 0)).toEqual([]);
});

test('a payload of a payment in manual_review is kept until its settlement, however many nights pass', async () => {
  const payment = await pay(ada, await quote(ada, 8.88));
  await reaches(ada, payment, 'manual_review');
  await until(unprocessed, (count) => count === 0);
  const needed = (await events()).filter(({ status, size }) => status === 'failed' && size > 0);
  expect(needed.length).toBeGreaterThan(0);
  for (const days of [91.1, 92.1, 400]) {
    await nightIn(days);
    expect((await events()).filter(({ size }) => size > 0)).toEqual(needed);
  }
  for (const operator of ['olga', 'otto']) {
    const figures = [
      '--amount',
      '1.20',
      '--currency',
      'GBP',
      '--reference',
      'FPS 4711',
      '--reason',
      'ticket',
    ];
    const args = ['payments', 'settle', payment, ...figures, '--operator', operator];
    expect((await opsHere(app(), args)).code).toBe(0);
  }
  await nightIn(401);
  expect((await events()).filter(({ size }) => size > 0)).toEqual([]);
});

test('a payload of an unresolved payment is kept although a backup is reading the tables', async () => {
  const payment = await pay(ada, await quote(ada, 22), {
    pixKey: 'recover@pix.example',
    pixKeyType: 'email',
  });
  await reaches(ada, payment, 'payout_failed');
  await until(unprocessed, (count) => count === 0);
  const before = await events();
  const needed = before.filter(({ status, size }) => status === 'pending' && size > 0);
  expect(needed.length).toBeGreaterThan(0);
  await whileLocked(world.databaseUrl, 'webhook_payloads', 'access share', () => nightIn(91.1));
  expect((await events()).filter(({ size }) => size > 0)).toEqual(needed);
  must(await ada.api.POST('/pix/payments/{id}/retry', { params: { path: { id: payment } } }));
  await reaches(ada, payment, 'completed');
  await until(unprocessed, (count) => count === 0);
  await nightIn(92);
  expect((await events()).filter(({ size }) => size > 0)).toEqual([]);
});

test('the key of a month is destroyed with the last of its payloads and not before', async () => {
  expect(await monthKeys()).toEqual([]);
  const id = await receive({ event: 'card.frozen' });
  const { received_at: at } = await byTable(db())
    .selectFrom('webhook_events')
    .select('received_at')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  // The service still has the key in memory, and makes a new one only after a restart.
  await createDataKeys(db(), app().config.masterKeys).keyOf(encryptionContexts.webhookPayload(id, at).scope);

  const month = { from: new Date(at.getTime() - DAY_MS), to: new Date(at.getTime() + DAY_MS) };
  expect(await isPayloadStored(db(), month)).toEqual({ isStored: true });
  await waitFor(id, new Date(Date.now() + YEAR_MS));
  expect(await nightIn(130)).toEqual({});
  await setTo(id, { status: 'ignored', processed_at: world.clock.now(), due_at: null });
  expect(await nightIn(89)).toEqual({});
  expect(await monthKeys()).toHaveLength(1);
  expect(await nightIn(130)).toEqual({ 'payloads removed': 1, 'month keys destroyed': 1 });
  expect(await monthKeys()).toEqual([]);
});

test('a copy of a callback whose payload was removed is acknowledged, stores no second event and restores nothing', async () => {
  const body = {
    event: 'card.frozen',
    data: { uuid: randomUUID() },
    updated_at: '2026-03-02T12:00:31.512Z',
  };
  const id = await receive(body);
  await nightIn(92);
  const count = (await events()).length;
  expect(await receive(body)).toBe(id);
  expect((await events()).length).toBe(count);
  expect((await events()).find((event) => event.id === id)).toMatchObject({ size: 0 });
  expect((await workIn(world)).filter(({ kind }) => kind === 'callback')).toEqual([]);
});

test('the payload of an unmatched callback is also removed, and the callback can no longer be replayed', async () => {
  const id = await receive({ event: 'card.frozen' });
  await setTo(id, { status: 'unmatched' });
  expect(await nightIn(92)).toEqual({ 'payload days removed': 1 });
  const { code, err } = await opsHere(app(), ['webhooks', 'replay', id, '--reason', 'perhaps now']);
  expect([code, err]).toEqual([1, expect.stringContaining('was removed')]);
  expect((await events()).find((event) => event.id === id)?.what).toBe('unmatched');
});

test('a callback that keeps its payload is left for the next night while it is locked', async () => {
  const [first, second] = [await receive({ event: 'card.frozen' }), await receive({ event: 'card.frozen' })];
  for (const id of [first, second]) {
    await waitFor(id, new Date(Date.now() + YEAR_MS));
    await setTo(id, { status: 'ignored', processed_at: world.clock.now(), due_at: null });
  }
  const held = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const holding = db()
    .transaction()
    .execute(async (tx) => {
      await byTable(tx)
        .selectFrom('webhook_events')
        .select('id')
        .where('id', '=', first)
        .forUpdate()
        .execute();
      locked.resolve();
      await held.promise;
    });
  await locked.promise;
  expect(await nightIn(92)).toEqual({ 'payloads removed': 1, 'payloads kept for now': 1 });
  held.resolve();
  await holding;
  const sizes = (await events()).filter(({ id }) => [first, second].includes(id)).map(({ size }) => size > 0);
  expect(sizes).toEqual([true, false]);
  expect(await nightIn(93)).toEqual({ 'payloads removed': 1 });
});

test('no row of a callback is left six years after it was processed, so the table does not grow indefinitely', async () => {
  expect((await events()).length).toBeGreaterThan(10);
  const counts = await nightIn(6 * 366 + 1);
  expect(counts['callbacks removed']).toBeGreaterThan(10);
  expect(await events()).toEqual([]);
});

describe('with many callbacks', () => {
  const MANY = 20_000;

  beforeAll(async () => {
    await fill(
      world.databaseUrl,
      `insert into webhook_events
        (id, provider, identity, event_type, payload_sealed, status, attempts, received_at, processed_at)
      select gen_random_uuid(), 'sandbox', sha256(n::text::bytea), 'generated', decode(repeat('ab', 600), 'hex'),
        'ignored', 0, now() - make_interval(days => 100, secs => ${MANY} - n), now() - make_interval(days => 100, secs => ${MANY} - n)
      from generate_series(1, ${MANY}) n`,
      'analyze webhook_events',
    );
  });

  test('each statement finds its rows by an index, whatever its values are', async () => {
    const pool = createPool(world.databaseUrl, 1);
    const planOf = async (text: string): Promise<string> =>
      (await pool.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${text}`)).rows
        .map((row) => row['QUERY PLAN'])
        .join('\n');
    const plans = [
      await planOf(listKeptPayloads.text(db())),
      await planOf(removePayloads.together.text(db())),
    ];
    await pool.end();
    for (const plan of plans) expect(plan).not.toMatch(/Seq Scan on webhook_events/);
    expect(plans[0]).toMatch(/Index Scan using webhook_events_kept_payloads/);
    expect(plans[1]).toMatch(/webhook_events_pkey/);
  });

  test('callbacks are still stored while payloads are removed, and each page is a small commit', async () => {
    const generated = await byTable(db())
      .selectFrom('webhook_events')
      .select('id')
      .where('event_type', '=', 'generated')
      .limit(PAYLOADS_PAGE_SIZE)
      .execute();
    const page = { ids: generated.map(({ id }) => id), until: await app().databaseClock.now(db()) };
    await db()
      .transaction()
      .execute(async (tx) => {
        expect(await removePayloads.together(tx, page)).toBe(PAYLOADS_PAGE_SIZE);
        // The page is not committed yet.
        expect(await receive({ event: 'card.frozen' })).not.toBe('not stored');
      });

    let isRunning = true;
    let storedMeanwhile = 0;
    const callers = Array.from({ length: 2 }, async () => {
      while (isRunning) {
        await receive({ event: 'card.frozen' });
        if (isRunning) storedMeanwhile += 1;
      }
    });
    const pages: number[] = [];
    const { run } = await runJob(app(), JOB, {
      run: 'many',
      onProgress: ({ counts }) => pages.push(counts['payloads removed'] ?? 0),
    });
    isRunning = false;
    await Promise.all(callers);
    expect(run.counts['payloads removed']).toBe(MANY - PAYLOADS_PAGE_SIZE);
    expect(Math.max(...pages.map((sum, at) => sum - (pages[at - 1] ?? 0)))).toBe(PAYLOADS_PAGE_SIZE);
    expect(storedMeanwhile).toBeGreaterThan(0);
  });
});

type EventLine = { id: string; what: string; why: string | null; size: number; status: string | null };

/** The callbacks in the order of processing. `status` is that of their transaction. */
async function events(): Promise<EventLine[]> {
  const { rows } = await sql<EventLine>`
    select event.id, event.status as what, event.outcome as why, transaction.status,
      octet_length(event.payload_sealed) + coalesce(octet_length(payload.payload_sealed), 0) as size
    from webhook_events event left join transactions transaction on transaction.id = event.transaction_id
    left join webhook_payloads payload on payload.event_id = event.id
    where event.event_type <> 'generated'
    order by event.processed_at, event.id
  `.execute(db());
  return rows;
}

async function unprocessed(): Promise<number> {
  const { rows } = await sql`select from webhook_events where status = 'received'`.execute(db());
  return rows.length;
}

const setTo = (id: string, columns: Updateable<Tables['webhook_events']>) =>
  byTable(db()).updateTable('webhook_events').set(columns).where('id', '=', id).execute();

/** Lets a callback wait with its payload, as if it had not been processed. */
const waitFor = (id: string, dueAt: Date) =>
  db()
    .transaction()
    .execute(async (tx) => {
      await requeueWebhookEvent(tx, { id });
      await byTable(tx).updateTable('webhook_events').set({ due_at: dueAt }).where('id', '=', id).execute();
    });

const monthKeys = () =>
  byTable(db()).selectFrom('data_keys').select('scope').where('scope', 'like', 'webhooks-%').execute();

/** Sends a callback. @returns the id under which it is stored. */
async function receive(body: { event: string; data?: object; updated_at?: string }): Promise<string> {
  const whole = { data: { uuid: randomUUID() }, updated_at: new Date().toISOString(), ...body };
  const response = await fetch(`${world.url}/webhooks/provider/${world.webhookSecret}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(whole),
  });
  expect(response.status).toBe(200);
  const { rows } = await sql<{ id: string }>`
    select id from webhook_events
    where identity = sha256(convert_to(${`${whole.event}:${(whole.data as { uuid: string }).uuid}:${whole.updated_at}`}, 'UTF8'))
  `.execute(db());
  return rows[0]?.id ?? 'not stored';
}
