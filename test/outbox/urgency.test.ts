// What is urgent goes first: a conversion whose quote is running down waits behind no poll, callback or other effect, neither in the
// tables nor in memory. One whose quote has ended delays none that still can be in time.
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { newId } from '../../src/domain/ids.ts';
import { type Claimable, claims } from '../../src/outbox/claim.ts';
import { byTable } from '../support/by-table.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import {
  type BareEngine,
  CONVERSION,
  commitEffect,
  createBareEngine,
  deleteWork,
  effectsIn,
  insertDueCallback,
  insertDueEffect,
  insertDuePoll,
} from './bare-engine.ts';

let database: TestDatabase;
let engine: BareEngine;

beforeAll(async () => {
  database = await createTestDatabase();
});
// With one slot the order in which work is begun is the order in which it was chosen.
beforeEach(async () => {
  engine = await createBareEngine(database.url, { concurrency: 1 });
});
afterEach(async () => {
  await deleteWork(engine);
  await engine.close();
});
afterAll(() => database.drop());

const begins = (many: number): Promise<unknown> =>
  until(async () => {
    await engine.tick();
    return engine.begun.length >= many;
  }, Boolean);

const typesBegun = (): string[] => engine.begun.map(({ type }) => type);

it('is claimed before polls, callbacks and other effects that became due earlier', async () => {
  for (let due = 0; due < 10; due += 1) {
    await insertDuePoll(engine);
    await insertDueCallback(engine);
    await insertDueEffect(engine);
  }
  await insertDueEffect(engine, CONVERSION);
  await begins(1);
  expect(typesBegun()[0]).toBe('startConversion');
});

it('is begun before what was claimed and handed off earlier and waits in memory', async () => {
  await engine.close();
  engine = await createBareEngine(database.url, { concurrency: 4 });
  // Of four slots one type and one origin have three each: all four are taken, and more of each origin waits.
  const { letGo } = engine.hold(() => true);
  for (let due = 0; due < 4; due += 1) await insertDueEffect(engine);
  for (let due = 0; due < 2; due += 1) await insertDuePoll(engine);
  await begins(3);
  for (let committed = 0; committed < 6; committed += 1)
    await commitEffect(engine, { effect: { type: 'startPayout' } });
  await until(
    async () => engine.begun.length,
    (many) => many === 4,
  );
  await commitEffect(engine, CONVERSION);
  expect(typesBegun()).not.toContain('startConversion');
  letGo();
  await begins(5);
  expect(typesBegun()[4]).toBe('startConversion');
});

it('is claimed by the end of a person’s quotes, the first end first; when its quote has ended it comes in its turn', async () => {
  const userId = newId();
  const lives = new Map<string, number>();
  for (const urgentForMs of [-1_000, 40_000, 20_000, 60_000]) {
    await insertDueEffect(engine, { ...CONVERSION, userId, urgentForMs });
    const { id } = (await effectsIn(engine)).find((effect) => !lives.has(effect.id)) ?? { id: '' };
    lives.set(id, urgentForMs);
  }
  const claimOf = async (kind: Claimable) => {
    const claim = { owner: newId(), most: 1, excludedTypes: [], excludedUsers: [], after: null };
    const { works } = await claims[kind](engine.db, { ...claim, now: new Date() });
    return works.map(({ id, isUrgent }) => [lives.get(id), isUrgent]);
  };
  expect(await claimOf('urgent')).toEqual([[20_000, true]]);
  expect(await claimOf('urgent')).toEqual([[40_000, true]]);
  expect(await claimOf('urgent')).toEqual([[60_000, true]]);
  expect(await claimOf('urgent')).toEqual([]);
  expect(await claimOf('effect')).toEqual([[-1_000, false]]);
});

it('many of them leave slots to other work', async () => {
  await engine.close();
  engine = await createBareEngine(database.url, { concurrency: 8 });
  const { letGo } = engine.hold(({ type }) => type === 'startConversion');
  for (let due = 0; due < 30; due += 1) await insertDueEffect(engine, CONVERSION);
  await insertDueCallback(engine);
  await insertDuePoll(engine);
  await insertDueEffect(engine);
  await until(async () => {
    await engine.tick();
    return ['callback', 'poll', 'validateBankDetails'].every((type) => typesBegun().includes(type));
  }, Boolean);
  expect(typesBegun().filter((type) => type === 'startConversion')).toHaveLength(4);
  letGo();
});

it('is claimed and begun where polls and callbacks hang in every slot', async () => {
  await engine.close();
  engine = await createBareEngine(database.url, { concurrency: 8 });
  const { letGo } = engine.hold(({ type }) => type !== 'startConversion');
  for (let due = 0; due < 12; due += 1) {
    await insertDuePoll(engine);
    await insertDueCallback(engine);
  }
  // Of eight slots six are for what is claimed, two for what is handed off.
  await begins(6);
  for (let committed = 0; committed < 3; committed += 1) await commitEffect(engine);
  await until(
    async () => engine.begun.length,
    (many) => many === 8,
  );
  // What waits behind them is given back when nothing has begun for a while: from then on nothing else is claimed.
  const leased = async () =>
    (
      await byTable(engine.db)
        .selectFrom('webhook_events')
        .select('id')
        .where('leased_by', 'is not', null)
        .execute()
    ).length;
  const hanging = engine.begun.filter(({ type }) => type === 'callback').length;
  await until(
    async () => {
      await engine.tick();
      return leased();
    },
    (many) => many === hanging,
  );
  await insertDueEffect(engine, CONVERSION);
  await begins(9);
  expect(typesBegun()[8]).toBe('startConversion');
  letGo();
});
