// Which waits tell that more payments are offered than can be carried out: those of three people, in the tables and in memory; not
// one person's pile, not what is paused, not what hangs elsewhere.
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { newId } from '../../src/domain/ids.ts';
import { readPaymentWaits } from '../../src/outbox/payment-waits.ts';
import { byTable } from '../support/by-table.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import {
  type BareEngine,
  CONVERSION,
  commitEffect,
  createBareEngine,
  deleteWork,
  insertDueCallback,
  insertDueEffect,
  insertDuePoll,
} from './bare-engine.ts';

const MINUTE_MS = 60_000;

let database: TestDatabase;
let engine: BareEngine;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  engine = await createBareEngine(database.url, { concurrency: 1 });
});
afterEach(async () => {
  await deleteWork(engine);
  await byTable(engine.db).deleteFrom('effect_pauses').execute();
  await engine.close();
});
afterAll(() => database.drop());

const waits = () => readPaymentWaits(engine.db, engine.outbox.waits());
const minuteAgo = () => new Date(Date.now() - MINUTE_MS);

/** They have been due for a minute: as with a wait of any length, no test waits for it. */
const everythingWaited = () =>
  byTable(engine.db).updateTable('effects').set({ due_at: sql<Date>`now() - interval '1 minute'` }).execute();

const conversionsOf = async (people: number, each = 1): Promise<void> => {
  for (let person = 0; person < people; person += 1) {
    const userId = newId();
    for (let nth = 0; nth < each; nth += 1) await insertDueEffect(engine, { ...CONVERSION, userId });
  }
};

describe('conversions that no process has claimed', () => {
  it('of three people count', async () => {
    await conversionsOf(3);
    await everythingWaited();
    expect((await waits()).conversionMs).toBeGreaterThanOrEqual(MINUTE_MS);
  });

  it('count by the third person’s wait', async () => {
    await conversionsOf(2);
    await everythingWaited();
    await conversionsOf(1);
    expect((await waits()).conversionMs).toBeLessThan(MINUTE_MS);
  });

  it.each([
    ['of one person, many', () => conversionsOf(1, 30)],
    ['of two people', () => conversionsOf(2)],
    ['of three people with a pile each', () => conversionsOf(3, 5)],
  ])('%s: do not', async (_whose, order) => {
    await order();
    await everythingWaited();
    expect((await waits()).conversionMs).toBe(0);
  });

  it('beside a pile of one person’s, of three others: count', async () => {
    await conversionsOf(1, 30);
    await conversionsOf(3, 2);
    await everythingWaited();
    expect((await waits()).conversionMs).toBeGreaterThanOrEqual(MINUTE_MS);
  });

  it('that are paused do not', async () => {
    await conversionsOf(5);
    await everythingWaited();
    await byTable(engine.db)
      .insertInto('effect_pauses')
      .values({ type: 'startConversion', paused_at: new Date(), operator: 'ada', reason: 'a test' })
      .execute();
    expect((await waits()).conversionMs).toBe(0);
  });

  test('of three people do not count when each has a pile of other steps', async () => {
    for (const userId of [newId(), newId(), newId()]) {
      await insertDueEffect(engine, { ...CONVERSION, userId });
      for (let nth = 0; nth < 2; nth += 1)
        await insertDueEffect(engine, { effect: { type: 'startPayout' }, userId });
      for (let nth = 0; nth < 2; nth += 1) await insertDueCallback(engine, minuteAgo(), userId);
    }
    await everythingWaited();
    expect(await waits()).toEqual({ conversionMs: 0, payoutMs: 0, reportMs: 0 });
  });

  test('count when their quotes have ended as well: a service without workers accepts nothing more', async () => {
    for (let due = 0; due < 5; due += 1) await insertDueEffect(engine, { ...CONVERSION, urgentForMs: -1 });
    await everythingWaited();
    expect((await waits()).conversionMs).toBeGreaterThanOrEqual(MINUTE_MS);
  });

  test('do not count any more when a process has them', async () => {
    await conversionsOf(5);
    await everythingWaited();
    await byTable(engine.db).updateTable('effects').set({ leased_by: newId() }).execute();
    expect((await waits()).conversionMs).toBe(0);
  });

  it('that are to be tried again later do not', async () => {
    await conversionsOf(5);
    await byTable(engine.db)
      .updateTable('effects')
      .set({ due_at: sql<Date>`now() + interval '10 s'` })
      .execute();
    expect((await waits()).conversionMs).toBe(0);
  });
});

test('payouts of three people that wait count: what is accepted now would wait behind them', async () => {
  for (let due = 0; due < 3; due += 1) await insertDueEffect(engine, { effect: { type: 'startPayout' } });
  await everythingWaited();
  const { conversionMs, payoutMs } = await waits();
  expect(conversionMs).toBe(0);
  expect(payoutMs).toBeGreaterThanOrEqual(MINUTE_MS);
});

test('payouts of withdrawals that wait do not count', async () => {
  for (let due = 0; due < 5; due += 1)
    await insertDueEffect(engine, { effect: { type: 'startWithdrawPayout' } });
  await everythingWaited();
  expect(await waits()).toEqual({ conversionMs: 0, payoutMs: 0, reportMs: 0 });
});

describe('conversions in the memory of a process', () => {
  it('that wait for a slot count, those that run do not', async () => {
    const { letGo } = engine.hold(() => true);
    for (let person = 0; person < 3; person += 1) await commitEffect(engine, CONVERSION);
    await until(
      async () => engine.begun.length,
      (many) => many === 1,
    );
    expect((await waits()).conversionMs).toBe(0);
    await commitEffect(engine, CONVERSION);
    expect((await until(waits, ({ conversionMs }) => conversionMs > 0)).conversionMs).toBeGreaterThan(0);
    letGo();
    await until(waits, ({ conversionMs }) => conversionMs === 0);
  });

  it('of one person, however many, do not', async () => {
    const { letGo } = engine.hold(() => true);
    const userId = newId();
    for (let nth = 0; nth < 6; nth += 1) await commitEffect(engine, { ...CONVERSION, userId });
    await commitEffect(engine, CONVERSION);
    await commitEffect(engine, CONVERSION);
    expect((await waits()).conversionMs).toBe(0);
    letGo();
  });
});

describe('what the provider reports', () => {
  test('counts when callbacks of three people wait', async () => {
    for (let person = 0; person < 3; person += 1) await insertDueCallback(engine, minuteAgo());
    expect((await waits()).reportMs).toBeGreaterThanOrEqual(MINUTE_MS);
  });

  test.each([
    ['callbacks of two people wait', () => callbacksOf([newId(), newId()], 3)],
    ['only callbacks of unknown users wait', () => callbacksOf([null], 30)],
    ['three people have a pile of callbacks each', () => callbacksOf([newId(), newId(), newId()], 5)],
    ['polls wait: callbacks bring the payments on', () => pollsOf(5)],
  ])('does not count when %s', async (_what, insert) => {
    await insert();
    expect((await waits()).reportMs).toBe(0);
  });
});

const callbacksOf = async (users: (string | null)[], each: number): Promise<void> => {
  for (const userId of users)
    for (let nth = 0; nth < each; nth += 1) await insertDueCallback(engine, minuteAgo(), userId);
};

const pollsOf = async (people: number): Promise<void> => {
  for (let person = 0; person < people; person += 1) await insertDuePoll(engine, minuteAgo());
};
