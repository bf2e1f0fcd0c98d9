// Decides which waits mean overload: those of three users, in the tables and in memory. The pile of one user, paused work and work
// that is in progress do not count.
import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { newId } from '../../src/domain/ids.ts';
import { readPaymentWaits } from '../../src/outbox/payment-waits.ts';
import { createTakenUntil } from '../../src/outbox/taken-until.ts';
import { byTable } from '../support/by-table.ts';
import { until } from '../support/until.ts';
import {
  CONVERSION,
  commitEffect,
  insertDueCallback,
  insertDueEffect,
  insertDuePoll,
} from './bare-engine.ts';
import { useBareEngine } from './use-bare-engine.ts';

const MINUTE_MS = 60_000;

const { engine } = useBareEngine({ concurrency: 1 });

afterEach(() => byTable(engine.db).deleteFrom('effect_pauses').execute());

const waits = () => readPaymentWaits(engine.db, engine.outbox, createTakenUntil());
const minuteAgo = () => new Date(Date.now() - MINUTE_MS);

/** Makes all effects due since a minute ago, so that no test waits that long. */
const everythingWaited = () =>
  byTable(engine.db).updateTable('effects').set({ due_at: sql<Date>`now() - interval '1 minute'` }).execute();

const conversionsOf = async (people: number, each = 1): Promise<void> => {
  for (let person = 0; person < people; person += 1) {
    const userId = newId();
    for (let nth = 0; nth < each; nth += 1) await insertDueEffect(engine, { ...CONVERSION, userId });
  }
};

test('unclaimed conversions of three users count as waiting', async () => {
  await conversionsOf(3);
  await everythingWaited();
  expect((await waits()).conversionMs).toBeGreaterThanOrEqual(MINUTE_MS);
});

test('the wait of unclaimed conversions is the wait of the third user', async () => {
  await conversionsOf(2);
  await everythingWaited();
  await conversionsOf(1);
  expect((await waits()).conversionMs).toBeLessThan(MINUTE_MS);
});

test.each([
  ['of one user with many', () => conversionsOf(1, 30)],
  ['of two users', () => conversionsOf(2)],
  ['of three users with a pile each', () => conversionsOf(3, 5)],
])('unclaimed conversions %s do not count as waiting', async (_whose, order) => {
  await order();
  await everythingWaited();
  expect((await waits()).conversionMs).toBe(0);
});

test('unclaimed conversions of three other users count as waiting when one user has a pile', async () => {
  await conversionsOf(1, 30);
  await conversionsOf(3, 2);
  await everythingWaited();
  expect((await waits()).conversionMs).toBeGreaterThanOrEqual(MINUTE_MS);
});

test('unclaimed conversions of a paused type do not count as waiting', async () => {
  await conversionsOf(5);
  await everythingWaited();
  await byTable(engine.db)
    .insertInto('effect_pauses')
    .values({ type: 'startConversion', paused_at: new Date(), operator: 'ada', reason: 'a test' })
    .execute();
  expect((await waits()).conversionMs).toBe(0);
});

test('unclaimed conversions of three users do not count as waiting when each has a pile of other steps', async () => {
  for (const userId of [newId(), newId(), newId()]) {
    await insertDueEffect(engine, { ...CONVERSION, userId });
    for (let nth = 0; nth < 2; nth += 1)
      await insertDueEffect(engine, { effect: { type: 'startPayout' }, userId });
    for (let nth = 0; nth < 2; nth += 1) await insertDueCallback(engine, minuteAgo(), userId);
  }
  await everythingWaited();
  expect(await waits()).toEqual({ conversionMs: 0, payoutMs: 0, reportMs: 0, heldUp: [] });
});

test('unclaimed conversions count as waiting even when their quotes have expired, so a service without workers accepts nothing more', async () => {
  for (let due = 0; due < 5; due += 1) await insertDueEffect(engine, { ...CONVERSION, urgentForMs: -1 });
  await everythingWaited();
  expect((await waits()).conversionMs).toBeGreaterThanOrEqual(MINUTE_MS);
});

test('conversions that a process has claimed do not count as waiting', async () => {
  await conversionsOf(5);
  await everythingWaited();
  await byTable(engine.db).updateTable('effects').set({ leased_by: newId() }).execute();
  expect((await waits()).conversionMs).toBe(0);
});

test('conversions that are retried later do not count as waiting', async () => {
  await conversionsOf(5);
  await byTable(engine.db)
    .updateTable('effects')
    .set({ due_at: sql<Date>`now() + interval '10 s'` })
    .execute();
  expect((await waits()).conversionMs).toBe(0);
});

test('unclaimed payouts of three users count as waiting, because a newly accepted payment would wait behind them', async () => {
  for (let due = 0; due < 3; due += 1) await insertDueEffect(engine, { effect: { type: 'startPayout' } });
  await everythingWaited();
  const { conversionMs, payoutMs } = await waits();
  expect(conversionMs).toBe(0);
  expect(payoutMs).toBeGreaterThanOrEqual(MINUTE_MS);
});

test('unclaimed payouts of withdrawals do not count as waiting', async () => {
  for (let due = 0; due < 5; due += 1)
    await insertDueEffect(engine, { effect: { type: 'startWithdrawPayout' } });
  await everythingWaited();
  expect(await waits()).toEqual({ conversionMs: 0, payoutMs: 0, reportMs: 0, heldUp: [] });
});

test('conversions in memory count while they wait for a slot, but not while they run', async () => {
  const { letGo } = engine.hold(() => true);
  for (let person = 0; person < 3; person += 1) await commitEffect(engine, CONVERSION);
  await until(
    async () => engine.begun.length,
    (count) => count === 1,
  );
  expect((await waits()).conversionMs).toBe(0);
  await commitEffect(engine, CONVERSION);
  expect((await until(waits, ({ conversionMs }) => conversionMs > 0)).conversionMs).toBeGreaterThan(0);
  letGo();
  await until(waits, ({ conversionMs }) => conversionMs === 0);
});

test('conversions of one user in memory do not count as waiting, however many they are', async () => {
  const { letGo } = engine.hold(() => true);
  const userId = newId();
  for (let nth = 0; nth < 6; nth += 1) await commitEffect(engine, { ...CONVERSION, userId });
  await commitEffect(engine, CONVERSION);
  await commitEffect(engine, CONVERSION);
  expect((await waits()).conversionMs).toBe(0);
  letGo();
});

test('reports of the provider count as waiting when callbacks of three users wait', async () => {
  for (let person = 0; person < 3; person += 1) await insertDueCallback(engine, minuteAgo());
  expect((await waits()).reportMs).toBeGreaterThanOrEqual(MINUTE_MS);
});

test.each([
  ['callbacks of two users wait', () => callbacksOf([newId(), newId()], 3)],
  ['only callbacks of unknown users wait', () => callbacksOf([null], 30)],
  ['three users have a pile of callbacks each', () => callbacksOf([newId(), newId(), newId()], 5)],
  ['only polls wait, because callbacks advance payments', () => pollsOf(5)],
])('reports of the provider do not count as waiting when %s', async (_what, insert) => {
  await insert();
  expect((await waits()).reportMs).toBe(0);
});

const callbacksOf = async (users: (string | null)[], each: number): Promise<void> => {
  for (const userId of users)
    for (let nth = 0; nth < each; nth += 1) await insertDueCallback(engine, minuteAgo(), userId);
};

const pollsOf = async (people: number): Promise<void> => {
  for (let person = 0; person < people; person += 1) await insertDuePoll(engine, minuteAgo());
};

const PAYOUT = { effect: { type: 'startPayout' } } as const;

test.each([
  ['do not count while the work that has their slots waits for the provider', 'at the provider'],
  ['count while the work that has their slots runs here', 'here'],
] as const)('payouts %s', async (_title, where) => {
  const { letGo } = engine.hold(() => true, where);
  await commitEffect(engine, PAYOUT);
  await until(
    async () => engine.begun.length,
    (count) => count === 1,
  );
  for (let person = 0; person < 3; person += 1) await commitEffect(engine, PAYOUT);
  const isHeldUp = where === 'at the provider';
  const seen = await until(waits, ({ heldUp, payoutMs }) =>
    isHeldUp ? heldUp.includes('startPayout') : payoutMs > 1_000,
  );
  expect([seen.heldUp.includes('startPayout'), seen.payoutMs > 0]).toEqual([isHeldUp, !isHeldUp]);
  letGo();
});

test('what the provider holds up in another process does not count either, except for conversions', async () => {
  for (let due = 0; due < 3; due += 1) await insertDueEffect(engine, PAYOUT);
  await conversionsOf(3);
  await everythingWaited();
  const process = await byTable(engine.db)
    .insertInto('processes')
    .values({
      id: newId(),
      name: 'another',
      started_at: new Date(),
      heartbeat_at: new Date(),
      held_up: ['startPayout', 'startConversion'],
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const seen = await waits();
  await byTable(engine.db).deleteFrom('processes').where('id', '=', process.id).execute();
  expect([seen.payoutMs, seen.heldUp.toSorted()]).toEqual([0, ['startConversion', 'startPayout']]);
  expect(seen.conversionMs).toBeGreaterThanOrEqual(MINUTE_MS);
});
