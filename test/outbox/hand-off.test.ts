// Hand-off: what a process commits it carries out from memory, under a lease that the row had from its first version on.
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import { newId } from '../../src/domain/ids.ts';
import { enqueueEffect } from '../../src/outbox/enqueue.ts';
import { transaction } from '../../src/outbox/hand-off.ts';
import type { Work } from '../../src/outbox/work.ts';
import { createCallbackStore } from '../../src/webhooks/store.ts';
import { byTable } from '../support/by-table.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { capturedAt } from '../support/leak-watch.ts';
import { waitingForLocks } from '../support/locks.ts';
import { until } from '../support/until.ts';
import {
  type BareEngine,
  commitEffect,
  createBareEngine,
  deleteWork,
  effectsIn,
  insertDueEffect,
  insertDuePoll,
} from './bare-engine.ts';

let database: TestDatabase;
let engine: BareEngine;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  engine = await createBareEngine(database.url, { concurrency: 2 });
});
afterEach(async () => {
  await deleteWork(engine);
  await engine.close();
});
afterAll(() => database.drop());

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

describe('committed work', () => {
  it('is begun as it was committed, and is not claimed', async () => {
    // Without a tick.
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

  test('is read again when it has waited in memory for longer than a second', async () => {
    const { letGo } = engine.hold(everything);
    await commitEffect(engine);
    await until(
      async () => engine.begun.length,
      (many) => many === 1,
    );
    await commitEffect(engine);
    await pause(1_100);
    letGo();
    await until(
      async () => engine.begun.length,
      (many) => many === 2,
    );
    expect(engine.begun.map(({ committed }) => committed !== undefined)).toEqual([true, false]);
  });

  it('beyond the room in memory stays due, and is carried out in the end, once', async () => {
    const { letGo } = engine.hold(everything);
    await commitEffect(engine);
    await until(
      async () => engine.begun.length,
      (many) => many === 1,
    );
    for (let more = 0; more < 14; more += 1) await commitEffect(engine);
    const leases = (await effectsIn(engine)).map(({ leased_by: owner }) => owner);
    // One has the slot, and four wait in memory for each of the two slots there are.
    expect(leases).toEqual([...Array(9).fill(engine.owner()), ...Array(6).fill(null)]);
    letGo();
    await allDone();
    expect(new Set(engine.begun.map(idOf)).size).toBe(15);
    expect(engine.begun).toHaveLength(15);
    expect(engine.begun.filter(({ committed }) => committed !== undefined)).toHaveLength(9);
  });

  test('of one person takes no more room than the person has slots, and leaves the rest to others', async () => {
    const { letGo } = engine.hold(everything);
    const ada = newId();
    for (let committed = 0; committed < 9; committed += 1) await commitEffect(engine, { userId: ada });
    for (let committed = 0; committed < 3; committed += 1) await commitEffect(engine);
    await until(
      async () => engine.begun.length,
      (many) => many === 1,
    );
    const leased = (await effectsIn(engine)).filter(({ leased_by: owner }) => owner !== null);
    // One of ada's has the slot by then, or none, and two wait.
    expect(leased.filter(({ user_id: userId }) => userId === ada).length).toBeLessThanOrEqual(3);
    expect(leased.filter(({ user_id: userId }) => userId !== ada)).toHaveLength(3);
    letGo();
    await allDone();
    expect(engine.begun).toHaveLength(12);
  });

  test('of one person’s callbacks that is beyond it is given back, because whose it is was not known before', async () => {
    const { letGo } = engine.hold(everything);
    await insertDuePoll(engine, new Date(Date.now() + 3_600_000));
    const { handle, user_id: userId } = await byTable(engine.db)
      .selectFrom('provider_resources')
      .select(['handle', 'user_id'])
      .executeTakeFirstOrThrow();
    const store = createCallbackStore(engine.db, engine.outbox);
    const callbacks = Array.from({ length: 8 }, () => ({
      id: newId(),
      provider: 'a provider',
      externalId: newId(),
      eventType: 'payout.updated',
      payloadSealed: Buffer.from('sealed'),
      receivedAt: new Date(),
      isMapped: true,
      names: { providerRef: null, handle },
      payload: Buffer.from('{}'),
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

  it('that is rolled back is not carried out, and leaves its room to other work', async () => {
    for (let times = 0; times < 20; times += 1) await expect(rolledBack()).rejects.toThrow('rolled back');
    await commitEffect(engine);
    await until(
      async () => engine.begun.length,
      (many) => many > 0,
    );
    await engine.tick();
    const effects = await effectsIn(engine);
    expect(engine.begun.map(idOf)).toEqual(effects.map(idOf));
    expect(engine.begun[0]?.committed).toBeDefined();
  });

  it('is left due by a process without a heartbeat, which begins nothing either', async () => {
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

  it('that waits is forgotten by a process that was taken for dead, and not begun under its former lease', async () => {
    const { letGo } = engine.hold(everything);
    await commitEffect(engine);
    await until(
      async () => engine.begun.length,
      (many) => many === 1,
    );
    await commitEffect(engine);
    engine.replace();
    letGo();
    await commitEffect(engine);
    await until(
      async () => engine.begun.length,
      (many) => many === 2,
    );
    const [, waiting, later] = await effectsIn(engine);
    expect(engine.begun.map(idOf)).not.toContain(waiting?.id);
    expect(engine.begun[1]?.id).toBe(later?.id);
    expect(waiting).toMatchObject({ status: 'queued', lease_token: 1 });
  });
});

describe('work that is leased to a process and not in its memory', () => {
  it('is taken up by the next tick, under a new token, and counts as not begun', async () => {
    const id = await leasedWithoutMemory();
    await engine.tick();
    await until(
      async () => engine.begun.length,
      (many) => many === 1,
    );
    expect(engine.begun).toMatchObject([{ id, token: 2 }]);
    await allDone();
    expect(await effectsIn(engine)).toMatchObject([{ attempts: 0, last_unknown_at: null }]);
  });

  it('is taken up once, however many ticks there are', async () => {
    const { letGo } = engine.hold(everything);
    await leasedWithoutMemory();
    for (let ticks = 0; ticks < 5; ticks += 1) await engine.tick();
    expect(engine.begun).toHaveLength(1);
    letGo();
    await allDone();
    expect(engine.begun).toHaveLength(1);
  });

  it('is not taken up when another process has it', async () => {
    const id = await leasedWithoutMemory('019ab000-0000-7000-8000-000000000001');
    await engine.tick();
    expect(engine.begun).toEqual([]);
    expect(await effectsIn(engine)).toMatchObject([{ id, lease_token: 1 }]);
  });
});

describe('work whose outcome could not be recorded', () => {
  it('is carried out again, and its row says that a request may be on its way', async () => {
    const { id } = await failsOnce();
    const { letGo } = engine.hold(everything);
    await until(
      async () => {
        await engine.tick();
        return engine.begun.length;
      },
      (many) => many === 2,
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
        (many) => many === times,
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

  it('is given back with that mark when its kind has been paused meanwhile', async () => {
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
});

describe('stopping', () => {
  it('gives back what has not begun as it is, and what has begun as sent', async () => {
    const { letGo } = engine.hold(everything);
    await commitEffect(engine);
    await until(
      async () => engine.begun.length,
      (many) => many === 1,
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
    // What it brings comes after its lease has ended.
    await engine.stop(10_000);
    expect((await effectsIn(engine))[0]?.status).toBe('queued');
  });

  it('gives back as not begun what a claim under way brings afterwards', async () => {
    await insertDueEffect(engine);
    const claiming = await engine.db.transaction().execute(async (tx) => {
      // Reading goes on; the claim waits.
      await sql`lock table effects in exclusive mode`.execute(tx);
      const tick = engine.tick();
      await until(
        () => waitingForLocks(engine.db),
        (many) => many > 0,
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
});

/** Work that was begun, and whose outcome could not be recorded. */
const failsOnce = async (): Promise<Work> => {
  const { fail } = engine.hold(everything);
  await commitEffect(engine);
  await until(
    async () => engine.begun.length,
    (many) => many === 1,
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

/** As after a commit whose answer was lost. @returns the effect's id. */
async function leasedWithoutMemory(owner = engine.owner()): Promise<string> {
  await insertDueEffect(engine);
  const { id } = await byTable(engine.db)
    .updateTable('effects')
    .set({ leased_by: owner, lease_token: 1 })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
