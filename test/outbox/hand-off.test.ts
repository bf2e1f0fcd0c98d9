// Hand-off: a process runs the work that it commits from memory. The row has a lease from its first version on.
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newId } from '../../src/domain/ids.ts';
import { enqueueEffect } from '../../src/outbox/enqueue.ts';
import { transaction } from '../../src/outbox/hand-off.ts';
import type { Work } from '../../src/outbox/work.ts';
import { createCallbackStore } from '../../src/webhooks/store.ts';
import { createUnownedTurns } from '../../src/webhooks/unowned.ts';
import { byTable } from '../support/by-table.ts';
import { capturedAt } from '../support/leak-watch.ts';
import { waitingForLocks } from '../support/locks.ts';
import { until } from '../support/until.ts';
import { commitEffect, effectsIn, insertDueEffect, insertDuePoll } from './bare-engine.ts';
import { useBareEngine } from './use-bare-engine.ts';

const { engine, database } = useBareEngine({ concurrency: 2 });

const everything = () => true;
const idOf = ({ id }: { id: string }) => id;

async function allDone(): Promise<void> {
  await until(
    async () => {
      await engine.tick();
      return effectsIn(engine);
    },
    (effects) => effects.every(({ status }) => status === 'done'),
  );
}

test('committed work begins from memory and is not claimed', async () => {
  // The engine does not tick here.
  await commitEffect(engine);
  const [effect] = await until(
    () => effectsIn(engine),
    ([row]) => row?.status === 'done',
  );
  expect(engine.begun).toMatchObject([{ kind: 'effect', id: effect?.id, token: 1 }]);
  expect(engine.begun[0]?.committed).toMatchObject({
    effect: { id: effect?.id, leasedBy: engine.owner(), leaseToken: 1 },
  });
  expect(effect).toMatchObject({ lease_token: 1, attempts: 0, last_unknown_at: null });
});

test('committed work that has waited in memory for more than a second is read again', async () => {
  const { letGo } = engine.hold(everything);
  await commitEffect(engine);
  await until(
    async () => engine.begun.length,
    (count) => count === 1,
  );
  await commitEffect(engine);
  await pause(1_100);
  letGo();
  await until(
    async () => engine.begun.length,
    (count) => count === 2,
  );
  expect(engine.begun.map(({ committed }) => committed !== undefined)).toEqual([true, false]);
});

test('committed work that exceeds the room in memory stays due and runs once in the end', async () => {
  const { letGo } = engine.hold(everything);
  await commitEffect(engine);
  await until(
    async () => engine.begun.length,
    (count) => count === 1,
  );
  for (let more = 0; more < 14; more += 1) await commitEffect(engine);
  const leases = (await effectsIn(engine)).map(({ leased_by: owner }) => owner);
  // One runs in the slot. Four wait in memory for each of the two slots.
  expect(leases).toEqual([...Array(9).fill(engine.owner()), ...Array(6).fill(null)]);
  letGo();
  await allDone();
  expect(new Set(engine.begun.map(idOf)).size).toBe(15);
  expect(engine.begun).toHaveLength(15);
  expect(engine.begun.filter(({ committed }) => committed !== undefined)).toHaveLength(9);
});

test('committed work of one user takes no more room than the user has slots and leaves the rest to others', async () => {
  const { letGo } = engine.hold(everything);
  const ada = newId();
  for (let committed = 0; committed < 9; committed += 1) await commitEffect(engine, { userId: ada });
  for (let committed = 0; committed < 3; committed += 1) await commitEffect(engine);
  await until(
    async () => engine.begun.length,
    (count) => count === 1,
  );
  const leased = (await effectsIn(engine)).filter(({ leased_by: owner }) => owner !== null);
  // At most one effect of ada has begun by then, and two wait.
  expect(leased.filter(({ user_id: userId }) => userId === ada).length).toBeLessThanOrEqual(3);
  expect(leased.filter(({ user_id: userId }) => userId !== ada)).toHaveLength(3);
  letGo();
  await allDone();
  expect(engine.begun).toHaveLength(12);
});

test('callbacks beyond the room of their user are released, because the user was unknown before', async () => {
  const { letGo } = engine.hold(everything);
  await insertDuePoll(engine, new Date(Date.now() + 3_600_000));
  const { handle, user_id: userId } = await byTable(engine.db)
    .selectFrom('provider_resources')
    .select(['handle', 'user_id'])
    .executeTakeFirstOrThrow();
  const store = createCallbackStore(engine.db, engine.outbox, createUnownedTurns());
  const callbacks = Array.from({ length: 8 }, () => ({
    id: newId(),
    provider: 'a provider',
    identity: randomBytes(32),
    eventType: 'payout.updated',
    payloadSealed: Buffer.from('sealed'),
    receivedAt: new Date(),
    isMapped: true,
    names: { providerRef: null, handle },
    payload: Buffer.from('{}'),
    announcedAt: null,
  }));
  await Promise.all(callbacks.map(store));
  await until(
    () =>
      byTable(engine.db).selectFrom('webhook_events').selectAll().where('leased_by', 'is', null).execute(),
    (left) => left.length >= 5 && left.every((event) => event.user_id === userId),
  );
  letGo();
  await until(
    async () => {
      await engine.tick();
      return byTable(engine.db)
        .selectFrom('webhook_events')
        .selectAll()
        .where('due_at', 'is not', null)
        .execute();
    },
    (left) => left.length === 0,
  );
  expect(new Set(engine.begun.map(idOf)).size).toBe(8);
  expect(engine.begun).toHaveLength(8);
});

test('work that is rolled back does not run and leaves its room to other work', async () => {
  for (let times = 0; times < 20; times += 1) await expect(rolledBack()).rejects.toThrow('rolled back');
  await commitEffect(engine);
  await until(
    async () => engine.begun.length,
    (count) => count > 0,
  );
  await engine.tick();
  const effects = await effectsIn(engine);
  expect(engine.begun.map(idOf)).toEqual(effects.map(idOf));
  expect(engine.begun[0]?.committed).toBeDefined();
});

test('a process without a recent heartbeat leaves its committed work due and begins nothing', async () => {
  engine.heartbeat.ageMs = 6_000;
  await commitEffect(engine);
  await insertDueEffect(engine);
  await engine.tick();
  expect(await effectsIn(engine)).toMatchObject([
    { leased_by: null, status: 'queued' },
    { leased_by: null, status: 'queued' },
  ]);
  expect(engine.begun).toEqual([]);
  engine.heartbeat.ageMs = 0;
  await allDone();
  expect(engine.begun).toHaveLength(2);
});

test('a process that was declared dead forgets its waiting work and does not begin it under the former lease', async () => {
  const { letGo } = engine.hold(everything);
  await commitEffect(engine);
  await until(
    async () => engine.begun.length,
    (count) => count === 1,
  );
  await commitEffect(engine);
  engine.replace();
  letGo();
  await commitEffect(engine);
  await until(
    async () => engine.begun.length,
    (count) => count === 2,
  );
  const [, waiting, later] = await effectsIn(engine);
  expect(engine.begun.map(idOf)).not.toContain(waiting?.id);
  expect(engine.begun[1]?.id).toBe(later?.id);
  expect(waiting).toMatchObject({ status: 'queued', lease_token: 1 });
});

test('a process reclaims work that is leased to it but not in its memory at two ticks, as not begun', async () => {
  const id = await leasedWithoutMemory();
  await engine.tick();
  await engine.tick();
  await until(
    async () => engine.begun.length,
    (count) => count === 1,
  );
  expect(engine.begun).toMatchObject([{ id, token: 2 }]);
  await allDone();
  expect(await effectsIn(engine)).toMatchObject([{ attempts: 0, last_unknown_at: null }]);
});

test('work that is leased to a process but not in its memory is reclaimed only once, however many ticks there are', async () => {
  const { letGo } = engine.hold(everything);
  await leasedWithoutMemory();
  for (let ticks = 0; ticks < 5; ticks += 1) await engine.tick();
  expect(engine.begun).toHaveLength(1);
  letGo();
  await allDone();
  expect(engine.begun).toHaveLength(1);
});

test('work that is leased to another process is not reclaimed', async () => {
  const id = await leasedWithoutMemory('019ab000-0000-7000-8000-000000000001');
  await engine.tick();
  expect(engine.begun).toEqual([]);
  expect(await effectsIn(engine)).toMatchObject([{ id, lease_token: 1 }]);
});

test('work whose outcome could not be recorded runs again, and its row says that a request may be in flight', async () => {
  const { id } = await failsOnce();
  const { letGo } = engine.hold(everything);
  await until(
    async () => {
      await engine.tick();
      return engine.begun.length;
    },
    (count) => count === 2,
  );
  expect(engine.begun[1]).toMatchObject({ id, token: 2 });
  expect(engine.begun[1]?.committed).toBeUndefined();
  const [effect] = await effectsIn(engine);
  expect(effect).toMatchObject({ attempts: 1, last_unknown_at: expect.any(Date) });
  letGo();
  await allDone();
});

test('work whose outcome cannot be recorded waits twice as long before each retry', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const before = unrecorded();
  const untilFailed = (times: number) =>
    until(
      async () => unrecorded() - before,
      (count) => count === times,
    );
  await failsOnce();
  for (const [times, delayMs] of [1_000, 2_000, 4_000].entries()) {
    await untilFailed(times + 1);
    vi.advanceTimersByTime(delayMs - 1);
    await engine.tick();
    expect(engine.begun).toHaveLength(times + 1);
    const { fail } = engine.hold(everything);
    vi.advanceTimersByTime(1);
    await engine.tick();
    expect(engine.begun).toHaveLength(times + 2);
    fail();
  }
  await untilFailed(4);
  expect(await effectsIn(engine)).toMatchObject([{ attempts: 3 }]);
});

test('work whose outcome could not be recorded is released as possibly sent if its type has been paused', async () => {
  await failsOnce();
  engine.paused.add('validateBankDetails');
  await until(
    async () => {
      await engine.tick();
      return effectsIn(engine);
    },
    ([effect]) => effect?.leased_by === null,
  );
  expect(engine.begun).toHaveLength(1);
  expect(await effectsIn(engine)).toMatchObject([
    { status: 'queued', attempts: 1, last_unknown_at: expect.any(Date) },
  ]);
});

test('a stopping process releases work that has not begun unchanged, and work that has begun as sent', async () => {
  const { letGo } = engine.hold(everything);
  await commitEffect(engine);
  await until(
    async () => engine.begun.length,
    (count) => count === 1,
  );
  await commitEffect(engine);
  await commitEffect(engine);
  await engine.stop(50);
  const untouched = { leased_by: null, status: 'queued', attempts: 0, last_unknown_at: null };
  expect(await effectsIn(engine)).toMatchObject([{ leased_by: engine.owner() }, untouched, untouched]);
  await engine.releaseAll();
  const [begun, ...waited] = await effectsIn(engine);
  expect(begun).toMatchObject({ leased_by: null, attempts: 1, last_unknown_at: expect.any(Date) });
  expect(waited).toMatchObject([untouched, untouched]);
  letGo();
  // The outcome of the running work arrives after its lease has ended.
  await engine.stop(10_000);
  expect((await effectsIn(engine))[0]?.status).toBe('queued');
});

test('a stopping process releases the rows of a claim that completes afterwards as not begun', async () => {
  await insertDueEffect(engine);
  const claiming = await engine.db.transaction().execute(async (tx) => {
    // Reads proceed under this lock, but the claim waits.
    await sql`lock table effects in exclusive mode`.execute(tx);
    const tick = engine.tick();
    await until(
      () => waitingForLocks(database.url),
      (count) => count > 0,
    );
    await engine.stop(50);
    return { tick };
  });
  await claiming.tick;
  await engine.releaseAll();
  expect(engine.begun).toEqual([]);
  expect(await effectsIn(engine)).toMatchObject([
    { leased_by: null, status: 'queued', attempts: 0, last_unknown_at: null },
  ]);
});

/** Begins work and makes its handler fail, so that its outcome is not recorded. */
const failsOnce = async (): Promise<Work> => {
  const { fail } = engine.hold(everything);
  await commitEffect(engine);
  await until(
    async () => engine.begun.length,
    (count) => count === 1,
  );
  fail();
  const [first] = engine.begun;
  if (!first) throw new Error('nothing was begun');
  return first;
};

/** How many outcomes could not be recorded since the test file began. */
const unrecorded = (): number => capturedAt('the log').split('"code":"outbox.unrecorded"').length - 1;

const rolledBack = () =>
  transaction(engine, async (tx) => {
    const subject = {
      kind: 'bank_details',
      id: engine.owner(),
      userId: engine.owner(),
      seq: 1,
    } as const;
    await enqueueEffect(tx, {
      subject,
      effect: { type: 'validateBankDetails' },
      resource: null,
      now: new Date(),
    });
    throw new Error('rolled back');
  });

/** Leases an effect that is not in memory, as after a commit whose answer was lost. @returns the id of the effect. */
async function leasedWithoutMemory(owner = engine.owner()): Promise<string> {
  await insertDueEffect(engine);
  const { id } = await byTable(engine.db)
    .updateTable('effects')
    .set({ leased_by: owner, lease_token: 1 })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
