// Checks fairness of claimed and handed-off work. Neither the work of one user, nor a paused effect type, nor stuck calls of one
// type prevent other work from starting.
import { expect, test } from 'vitest';
import { newId } from '../../src/domain/ids.ts';
import type { NewEffect } from '../../src/outbox/enqueue.ts';
import type { Work } from '../../src/outbox/work.ts';
import { byTable } from '../support/by-table.ts';
import { until } from '../support/until.ts';
import {
  commitEffect,
  createBareEngine,
  effectsIn,
  insertDueCallback,
  insertDueEffect,
  insertDuePoll,
} from './bare-engine.ts';
import { useBareEngine } from './use-bare-engine.ts';

const payout: NewEffect['effect'] = { type: 'startPayout' };

// With eight slots, one origin may use six, one type of work four and one user two.
const { engine, database } = useBareEngine({ concurrency: 8 });

/** Ticks until such work has begun. */
const begins = (isMeant: (work: Work) => boolean) =>
  until(async () => {
    await engine.tick();
    return engine.begun.some(isMeant);
  }, Boolean);

const isOf = (userId: string) => (work: Work) => work.userId === userId;
const isPayout = ({ type }: Work) => type === 'startPayout';
const begunOf = (userId: string) => engine.begun.filter(isOf(userId));

test('a user with fifty due effects does not delay the effect of another user that became due later', async () => {
  const [ada, bea] = [newId(), newId()];
  const { letGo } = engine.hold(isOf(ada));
  for (let due = 0; due < 50; due += 1) await insertDueEffect(engine, { userId: ada });
  await insertDueEffect(engine, { userId: bea });
  await begins(isOf(bea));
  expect(begunOf(ada)).toHaveLength(2);
  // The engine claims nothing that it has no slot for, so other processes can claim the rest.
  const adas = (await effectsIn(engine)).filter(({ user_id: userId }) => userId === ada);
  expect(adas.filter(({ leased_by: owner }) => owner !== null)).toHaveLength(2);
  letGo();
});

test('a user with fifty handed-off effects does not delay the effect of another user that was committed later', async () => {
  const [ada, bea] = [newId(), newId()];
  const { letGo } = engine.hold(isOf(ada));
  for (let committed = 0; committed < 50; committed += 1) await commitEffect(engine, { userId: ada });
  await commitEffect(engine, { userId: bea });
  await begins(isOf(bea));
  expect(begunOf(ada)).toHaveLength(2);
  letGo();
});

test('every effect of a user with many due effects runs once', async () => {
  const ada = newId();
  for (let due = 0; due < 12; due += 1) await insertDueEffect(engine, { userId: ada });
  await until(
    async () => {
      await engine.tick();
      return effectsIn(engine);
    },
    (effects) => effects.every(({ status }) => status === 'done'),
  );
  expect(engine.begun).toHaveLength(12);
  expect(new Set(engine.begun.map(({ id }) => id)).size).toBe(12);
});

test('an effect of a paused type is not claimed and does not delay other work', async () => {
  engine.paused.add('startPayout');
  for (let due = 0; due < 70; due += 1) await insertDueEffect(engine, { effect: payout });
  await insertDueEffect(engine);
  await begins(({ type }) => type === 'validateBankDetails');
  await engine.tick();
  expect(engine.begun).toHaveLength(1);
  const paused = (await effectsIn(engine)).filter(({ type }) => type === 'startPayout');
  expect(new Set(paused.map(({ leased_by, lease_token }) => `${leased_by} ${lease_token}`))).toEqual(
    new Set(['null 0']),
  );
});

test('a handed-off effect of a paused type is released without an attempt and runs after the type is resumed', async () => {
  engine.paused.add('startPayout');
  await commitEffect(engine, { effect: payout });
  await until(
    () => effectsIn(engine),
    ([effect]) => effect?.leased_by === null,
  );
  expect(await effectsIn(engine)).toMatchObject([{ status: 'queued', attempts: 0, last_unknown_at: null }]);
  expect(engine.begun).toEqual([]);
  engine.paused.clear();
  await begins(({ type }) => type === 'startPayout');
});

test('due calls of one type that are stuck take at most their share of the slots, and other effects, callbacks and polls begin', async () => {
  const { letGo } = engine.hold(isPayout);
  for (let due = 0; due < 30; due += 1) await insertDueEffect(engine, { effect: payout });
  await begins(isPayout);
  await insertDueEffect(engine);
  await insertDueCallback(engine);
  await insertDuePoll(engine);
  for (const type of ['validateBankDetails', 'callback', 'poll']) await begins((work) => work.type === type);
  expect(engine.begun.filter(isPayout)).toHaveLength(4);
  letGo();
});

test('handed-off calls of one type that are stuck take at most their share of the slots', async () => {
  const { letGo } = engine.hold(isPayout);
  for (let committed = 0; committed < 12; committed += 1) await commitEffect(engine, { effect: payout });
  await commitEffect(engine);
  await begins(({ type }) => type === 'validateBankDetails');
  expect(engine.begun.filter(isPayout)).toHaveLength(4);
  letGo();
});

test('a process that is notified of due work claims it without waiting for its next tick', async () => {
  await insertDueEffect(engine);
  engine.wake();
  await until(
    () => effectsIn(engine),
    ([effect]) => effect?.status === 'done',
  );
  expect(engine.begun).toMatchObject([{ token: 1 }]);
});

test('a claim skips a row that another transaction has locked and takes it later', async () => {
  await insertDueEffect(engine);
  await insertDueEffect(engine);
  const [locked, free] = await effectsIn(engine);
  await engine.db.transaction().execute(async (tx) => {
    await byTable(tx)
      .selectFrom('effects')
      .selectAll()
      .where('id', '=', locked?.id ?? '')
      .forUpdate()
      .execute();
    await begins(({ id }) => id === free?.id);
  });
  expect(engine.begun).toHaveLength(1);
  await begins(({ id }) => id === locked?.id);
});

test('claims of two processes never take the same row', async () => {
  const other = await createBareEngine(database.url, { concurrency: 8 });
  for (let due = 0; due < 60; due += 1) await insertDueEffect(engine);
  await until(
    async () => {
      await Promise.all([engine.tick(), other.tick()]);
      return effectsIn(engine);
    },
    (effects) => effects.every(({ status }) => status === 'done'),
  );
  const begun = [...engine.begun, ...other.begun];
  await other.close();
  expect(begun).toHaveLength(60);
  expect(new Set(begun.map(({ id }) => id)).size).toBe(60);
  expect(begun.every(({ token }) => token === 1)).toBe(true);
});

test.each([
  ['claimed', insertDueEffect],
  ['handed off', commitEffect],
])(
  'work that was %s behind stuck calls in every slot of its origin is released to another process',
  async (_origin, order) => {
    const hanging = await createBareEngine(database.url, { concurrency: 2 });
    const other = await createBareEngine(database.url, { concurrency: 2 });
    // With two slots, one origin may use one.
    const { letGo } = hanging.hold(() => true);
    const ticks = async () => {
      await hanging.tick();
      return (await effectsIn(hanging)).map(({ leased_by: leasedBy }) => leasedBy);
    };
    await order(hanging);
    await until(ticks, () => hanging.begun.length === 1);
    await order(hanging, { effect: payout });
    expect(await ticks()).toEqual([hanging.owner(), hanging.owner()]);
    await until(ticks, ([, second]) => second !== hanging.owner() || hanging.begun.length === 2);
    await other.tick();
    await until(
      async () => other.begun.length + hanging.begun.length,
      (count) => count === 2,
    );
    letGo();
    await Promise.all([hanging.close(), other.close()]);
  },
);
