// The payload of a processed callback is in the table of the day on which it was received. A hundred tables take turns. Retention
// empties the table of a day, and keeps what is still needed with its callback.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { runJob } from '../../../src/jobs/run-by-hand.ts';
import { encryptionContexts } from '../../../src/security/encryption-contexts.ts';
import { closeCallback, requeueWebhookEvent } from '../../../src/tables/webhook-events/statements.ts';
import { PAYLOAD_TABLES, payloadTables } from '../../../src/tables/webhook-payloads/entity.ts';
import { findOldSlot } from '../../../src/tables/webhook-payloads/statements.ts';
import { byTable } from '../../support/by-table.ts';
import { whileLocked } from '../../support/locks.ts';
import { useWorld } from '../../support/use-world.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Runs an action as this many days from now. */
const inDays = <Result>(days: number, act: () => Promise<Result>) => world.clock.later(days * DAY_MS, act);
const nightIn = (days: number) =>
  inDays(
    days,
    async () => (await runJob(world.service.app, 'purge-payloads', { run: randomUUID() })).run.counts,
  );

const { world, db } = useWorld();

test('each slot has its table', async () => {
  const { rows } = await sql<{ name: string; bound: string }>`
    select relname as name, pg_get_expr(relpartbound, oid) as bound
    from pg_class where oid in (select inhrelid from pg_inherits where inhparent = 'webhook_payloads'::regclass)
    order by relname`.execute(db());
  expect(rows).toEqual(payloadTables.map((name, slot) => ({ name, bound: `FOR VALUES IN (${slot})` })));
});

test('the payload of a processed callback is only in the table of its day, and opens there', async () => {
  const id = await receive();
  const [payload] = await payloads();
  expect(await sizeInEvent(id)).toBe(0);
  expect(payload?.event_id).toBe(id);
  const { received_at: receivedAt = new Date(), payload_sealed: sealed = Buffer.alloc(0) } = payload ?? {};
  const context = encryptionContexts.webhookPayload(id, receivedAt);
  const opened = await world.service.app.sealer.openBytes(context, sealed);
  expect(JSON.parse(opened.toString())).toMatchObject({
    event: expect.stringContaining('card.frozen') as string,
  });
  expect(payload?.slot).toBe(Math.floor(receivedAt.getTime() / DAY_MS) % PAYLOAD_TABLES);
  await nightIn(92);
  expect(await payloads()).toEqual([]);
});

test('a callback of any day is stored, although no night has run for months', async () => {
  const ids: string[] = [];
  for (let day = 0; day < 220; day += 1) ids.push(await inDays(day, receive));
  expect((await payloads()).map(({ event_id: id }) => id).toSorted()).toEqual(ids.toSorted());

  // On day 150, payloads of days up to 59 are due. Each of their tables also has a payload of a hundred days later.
  const counts = await nightIn(150);
  expect(counts['payload days removed']).toBeUndefined();
  const removed = counts['payloads removed'] ?? 0;
  // Midnight may pass while they are received.
  expect([60, 61]).toContain(removed);
  expect((await payloads()).map(({ event_id: id }) => id).toSorted()).toEqual(ids.slice(removed).toSorted());

  expect(await nightIn(312)).toEqual({
    'payload days removed': PAYLOAD_TABLES,
    'month keys destroyed': expect.any(Number) as number,
  });
  expect(await payloads()).toEqual([]);
});

test('payloads are deleted row by row while another session uses their table', async () => {
  const id = await receive();
  const [{ slot } = { slot: 0 }] = await payloads();
  const table = payloadTables[slot] ?? '';
  expect(await whileLocked(world.databaseUrl, table, 'access share', () => nightIn(92))).toEqual({
    'payloads removed': 1,
  });
  expect(await payloads()).toEqual([]);
  expect(await sizeInEvent(id)).toBe(0);
});

test('a callback that is queued again takes its payload back, so it can be processed', async () => {
  const id = await receive();
  const sizes = await db()
    .transaction()
    .execute(async (tx) => {
      await requeueWebhookEvent(tx, { id });
      return [await sizeInEvent(id, tx), (await payloads(tx)).length];
    });
  expect(sizes).toEqual([expect.any(Number), 0]);
  expect(sizes[0]).toBeGreaterThan(0);
});

test('a callback whose payload was removed is not queued again', async () => {
  const id = await receive();
  await nightIn(92);
  const former = await eventOf(id);
  expect(await requeueWebhookEvent(db(), { id })).toBe(0);
  expect(await eventOf(id)).toEqual(former);
});

test('a callback whose end is recorded twice at the same moment has its payload once', async () => {
  const id = await receiveAndRequeue();
  const { received_at: receivedAt } = await eventOf(id);
  const ends = [close(id, receivedAt), close(id, receivedAt)];
  expect(await Promise.all(ends)).toEqual([[{ id }], [{ id }]]);
  expect(await sizeInEvent(id)).toBe(0);
  const stored = (await payloads()).filter(({ event_id: one }) => one === id);
  expect(stored.map((row) => [row.received_at, row.payload_sealed.length > 0])).toEqual([[receivedAt, true]]);
});

test('a process whose lease ended does not move the payload', async () => {
  const id = await receiveAndRequeue();
  const { received_at: receivedAt, lease_token: token } = await eventOf(id);
  await byTable(db())
    .updateTable('webhook_events')
    .set({ lease_token: token + 1 })
    .where('id', '=', id)
    .execute();
  expect(await close(id, receivedAt, db(), token)).toEqual([]);
  expect(await sizeInEvent(id)).toBeGreaterThan(0);
  expect((await payloads()).map(({ event_id: one }) => one)).not.toContain(id);
  expect(await close(id, receivedAt)).toEqual([{ id }]);
});

test('a payload that is already in the table of its day does not keep its callback from being closed', async () => {
  const id = await receive();
  const stored = (await payloads()).find(({ event_id: one }) => one === id);
  if (!stored) throw new Error('the payload is not in the table of its day');
  await queueForLater(id);
  await byTable(db()).insertInto('webhook_payloads').values(stored).execute();
  expect(await close(id, stored.received_at)).toEqual([{ id }]);
  expect(await sizeInEvent(id)).toBe(0);
  expect((await payloads()).filter(({ event_id: one }) => one === id)).toEqual([stored]);
});

test('a callback that is processed on the day after its receipt keeps its payload for ninety days after that', async () => {
  const id = await receiveAndRequeue();
  const { received_at: receivedAt } = await eventOf(id);
  await close(id, new Date(receivedAt.getTime() + DAY_MS));
  expect(await sizeInEvent(id)).toBeGreaterThan(0);
  expect((await payloads()).map(({ event_id: one }) => one)).not.toContain(id);
  expect((await nightIn(90.9))['payloads removed']).toBeUndefined();
  expect((await nightIn(92))['payloads removed']).toBe(1);
  expect(await sizeInEvent(id)).toBe(0);
});

test('an old table is found by one entry of the index of each table', async () => {
  const { rows } = await sql<{
    'QUERY PLAN': string;
  }>`explain (generic_plan) ${sql.raw(findOldSlot.text(db()))}`.execute(db());
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).not.toMatch(/Seq Scan/);
});

const payloads = (on = db()) =>
  byTable(on).selectFrom('webhook_payloads').selectAll().orderBy('received_at').execute();

/** Records the end of a callback, by default with its present lease. */
async function close(id: string, processedAt: Date, on = db(), token?: number) {
  const { lease_token: present } = await eventOf(id, on);
  const outcome = { status: 'ignored', outcome: null, attempts: 1, processedAt } as const;
  return closeCallback(on, {
    id,
    leaseToken: token ?? present,
    transactionId: null,
    ...outcome,
  });
}

/** Receives a callback that waits with its payload, and that no process works on. */
async function receiveAndRequeue(): Promise<string> {
  const id = await receive();
  await queueForLater(id);
  return id;
}

/** Queues a callback again, so that it waits with its payload. */
const queueForLater = (id: string) =>
  db()
    .transaction()
    .execute(async (tx) => {
      await requeueWebhookEvent(tx, { id });
      await byTable(tx)
        .updateTable('webhook_events')
        .set({ due_at: new Date(Date.now() + 1000 * DAY_MS) })
        .where('id', '=', id)
        .execute();
    });

const eventOf = (id: string, on = db()) =>
  byTable(on).selectFrom('webhook_events').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

const sizeInEvent = async (id: string, on = db()): Promise<number> =>
  (await eventOf(id, on)).payload_sealed.length;

/** Sends a callback of a kind that the service does not use. @returns the id under which it is stored. */
async function receive(): Promise<string> {
  const event = `card.frozen ${randomUUID()}`;
  const body = { event, data: { uuid: randomUUID() }, updated_at: new Date().toISOString() };
  const response = await fetch(`${world.url}/webhooks/provider/${world.webhookSecret}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  const { id } = await byTable(db())
    .selectFrom('webhook_events')
    .select('id')
    .where('event_type', '=', event)
    .executeTakeFirstOrThrow();
  return id;
}
