// Urgent work goes first. A conversion whose quote has not expired waits for no poll, callback or other effect, neither in the
// tables nor in memory. A conversion whose quote has expired does not delay one that can still be in time.
import { expect, test } from 'vitest';
import { newId } from '../../src/domain/ids.ts';
import type { Claimable } from '../../src/outbox/claim.ts';
import { byTable } from '../support/by-table.ts';
import { claimOnce } from '../support/claim-once.ts';
import { until } from '../support/until.ts';
import {
  CONVERSION,
  commitEffect,
  effectsIn,
  insertDueCallback,
  insertDueEffect,
  insertDuePoll,
} from './bare-engine.ts';
import { useBareEngine } from './use-bare-engine.ts';

// With one slot, work begins in the order in which it was chosen.
const { engine, restart } = useBareEngine({ concurrency: 1 });

const begins = (count: number): Promise<unknown> =>
  until(async () => {
    await engine.tick();
    return engine.begun.length >= count;
  }, Boolean);

const typesBegun = (): string[] => engine.begun.map(({ type }) => type);

test('an urgent conversion is claimed before polls, callbacks and other effects that became due earlier', async () => {
  for (let due = 0; due < 10; due += 1) {
    await insertDuePoll(engine);
    await insertDueCallback(engine);
    await insertDueEffect(engine);
  }
  await insertDueEffect(engine, CONVERSION);
  await begins(1);
  expect(typesBegun()[0]).toBe('startConversion');
});

test('an urgent conversion begins before work that was claimed or handed off earlier and waits in memory', async () => {
  await restart({ concurrency: 4 });
  // With four slots, one type and one origin may use three each. All four are taken, and more work of each origin waits.
  const { letGo } = engine.hold(() => true);
  for (let due = 0; due < 4; due += 1) await insertDueEffect(engine);
  for (let due = 0; due < 2; due += 1) await insertDuePoll(engine);
  await begins(3);
  for (let committed = 0; committed < 6; committed += 1)
    await commitEffect(engine, { effect: { type: 'startPayout' } });
  await until(
    async () => engine.begun.length,
    (count) => count === 4,
  );
  await commitEffect(engine, CONVERSION);
  expect(typesBegun()).not.toContain('startConversion');
  letGo();
  await begins(5);
  expect(typesBegun()[4]).toBe('startConversion');
});

test('urgent conversions of a user are claimed in the order in which their quotes expire, and one with an expired quote is not urgent', async () => {
  const userId = newId();
  const lives = new Map<string, number>();
  for (const urgentForMs of [-1_000, 40_000, 20_000, 60_000]) {
    await insertDueEffect(engine, { ...CONVERSION, userId, urgentForMs });
    const { id } = (await effectsIn(engine)).find((effect) => !lives.has(effect.id)) ?? { id: '' };
    lives.set(id, urgentForMs);
  }
  const claimOf = async (kind: Claimable) => {
    const { works } = await claimOnce(engine.db, kind, { limit: 1 });
    return works.map(({ id, isUrgent }) => [lives.get(id), isUrgent]);
  };
  expect(await claimOf('urgent')).toEqual([[20_000, true]]);
  expect(await claimOf('urgent')).toEqual([[40_000, true]]);
  expect(await claimOf('urgent')).toEqual([[60_000, true]]);
  expect(await claimOf('urgent')).toEqual([]);
  expect(await claimOf('effect')).toEqual([[-1_000, false]]);
});

test('many urgent conversions leave slots to other work', async () => {
  await restart({ concurrency: 8 });
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

test('an urgent conversion is claimed and begins when polls and callbacks are stuck in every slot', async () => {
  await restart({ concurrency: 8 });
  const { letGo } = engine.hold(({ type }) => type !== 'startConversion');
  for (let due = 0; due < 12; due += 1) {
    await insertDuePoll(engine);
    await insertDueCallback(engine);
  }
  // With eight slots, six are for claimed work and two for handed-off work.
  await begins(6);
  for (let committed = 0; committed < 3; committed += 1) await commitEffect(engine);
  await until(
    async () => engine.begun.length,
    (count) => count === 8,
  );
  // The engine releases the work behind the stuck calls when nothing has begun for a while. From then on it claims only urgent
  // work.
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
    (count) => count === hanging,
  );
  await insertDueEffect(engine, CONVERSION);
  await begins(9);
  expect(typesBegun()[8]).toBe('startConversion');
  letGo();
});
