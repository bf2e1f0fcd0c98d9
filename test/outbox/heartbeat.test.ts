// The heartbeat: a process is dead when its counter does not change. Each process measures this with its own monotonic clock and
// does not count time in which it could not observe. Its dedicated connection may be cut or freeze at any time.

import type { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import {
  type DatabaseProxy,
  HEARTBEAT,
  startDatabaseProxy,
} from '../../harness/database-proxy/database-proxy.ts';
import { newId } from '../../src/domain/ids.ts';
import { type Heartbeat, type Peer, startHeartbeat } from '../../src/outbox/heartbeat.ts';
import { noDeadlines, servingDeadlines } from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { createOrm, type Orm } from '../../src/tables/orm.ts';
import { CHANNEL } from '../../src/tables/processes/statements.ts';
import { until } from '../support/until.ts';
import { useDatabase } from '../support/use-database.ts';

const DEAD_AFTER_MS = 2_000;
const BEAT_EVERY_MS = 400;

const database = useDatabase();
let proxy: DatabaseProxy;
let direct: Pool;
let orm: Orm;
const started: Heartbeat[] = [];
let stalled: { goOn: () => void } | null = null;

beforeAll(async () => {
  proxy = await startDatabaseProxy(database.url);
  direct = createPool(database.url, 2, noDeadlines);
  orm = await createOrm(direct);
});
afterEach(async () => {
  vi.useRealTimers();
  stalled?.goOn();
  stalled = null;
  await Promise.all(started.splice(0).map(({ stop }) => stop()));
  await direct.query('delete from processes');
});
afterAll(async () => {
  await direct.end();
  await proxy.close();
});

/** Starts a heartbeat without an engine. */
async function live({ statementMs = 5_000 } = {}) {
  const deaths: { id: string; at: number }[] = [];
  let replaced = 0;
  let notified = 0;
  const heartbeat = await startHeartbeat({
    orm,
    pool: createPool(proxy.url, 1, { ...servingDeadlines, statementMs }),
    deadAfterMs: DEAD_AFTER_MS,
    canListen: true,
    died: ({ id }: Peer) => void deaths.push({ id, at: performance.now() }),
    replaced: () => {
      replaced += 1;
    },
    notified: () => {
      notified += 1;
    },
    heldUp: () => [],
  });
  started.push(heartbeat);
  return {
    heartbeat,
    deaths,
    replaced: () => replaced,
    notified: () => notified,
    hasFound: (id: string) => deaths.some((death) => death.id === id),
  };
}

/** Inserts a process whose counter never changes. */
async function insertStillProcess(): Promise<string> {
  const id = newId();
  await direct.query(
    `insert into processes (id, name, started_at, heartbeat_at) values ($1, 'still', now(), now())`,
    [id],
  );
  return id;
}

async function heartbeatOf(id: string): Promise<number | undefined> {
  const { rows } = await direct.query<Peer>('select heartbeat from processes where id = $1', [id]);
  return rows[0]?.heartbeat;
}

async function beats({ heartbeat }: { heartbeat: Heartbeat }, times = 1): Promise<void> {
  const before = (await heartbeatOf(heartbeat.owner())) ?? 0;
  await until(
    () => heartbeatOf(heartbeat.owner()),
    (now = 0) => now >= before + times,
  );
}

/** Waits for the heartbeat that is due, while the monotonic clock stands still. */
const hasBeaten = ({ heartbeat }: { heartbeat: Heartbeat }) =>
  until(
    async () => heartbeat.ageMs(),
    (age) => age === 0,
  );

/** Moves the clock from heartbeat to heartbeat. @returns after how many milliseconds the process was found dead. */
async function foundDeadAfter(one: Awaited<ReturnType<typeof live>>): Promise<number> {
  const begunAt = performance.now();
  for (let ms = 0; ms < DEAD_AFTER_MS; ms += BEAT_EVERY_MS) {
    vi.advanceTimersByTime(BEAT_EVERY_MS);
    await hasBeaten(one);
  }
  return (one.deaths[0]?.at ?? 0) - begunAt;
}

test('a process whose counter stops is declared dead after the death timeout and not earlier', async () => {
  await insertStillProcess();
  vi.useFakeTimers({ toFake: ['performance'] });
  expect(await foundDeadAfter(await live())).toBe(DEAD_AFTER_MS);
});

test('a dead process is reported until its row is deleted and not afterwards', async () => {
  const still = await insertStillProcess();
  const one = await live();
  await until(
    async () => one.deaths.length,
    (count) => count > 2,
  );
  await direct.query('delete from processes where id = $1', [still]);
  await beats(one, 2);
  const count = one.deaths.length;
  await beats(one, 3);
  expect(one.deaths).toHaveLength(count);
});

test('a process whose counter increases is not dead, even if its row has an old time', async () => {
  const [one, other] = [await live(), await live()];
  const still = await insertStillProcess();
  await direct.query(
    `update processes set heartbeat_at = now() - interval '1 day', started_at = now() - interval '1 day'`,
  );
  // By then both have had time to recognise a dead process.
  await until(async () => [one, other].every(({ hasFound }) => hasFound(still)), Boolean);
  expect(one.hasFound(other.heartbeat.owner())).toBe(false);
  expect(other.hasFound(one.heartbeat.owner())).toBe(false);
});

test('a process does not count time in which it wrote no heartbeat itself against other processes', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const one = await live();
  await insertStillProcess();
  vi.advanceTimersByTime(BEAT_EVERY_MS);
  await hasBeaten(one);
  stalled = proxy.stall();
  // The counter of the other process does not change during this whole time.
  vi.advanceTimersByTime(DEAD_AFTER_MS + 1_000);
  stalled.goOn();
  await hasBeaten(one);
  expect(await foundDeadAfter(one)).toBe(DEAD_AFTER_MS);
});

test('a process that others declared dead continues under another id, which is registered before it is used', async () => {
  const one = await live();
  const before = one.heartbeat.owner();
  await direct.query('delete from processes where id = $1', [before]);
  await until(
    async () => one.replaced(),
    (times) => times === 1,
  );
  const after = one.heartbeat.owner();
  expect(after).not.toBe(before);
  expect(await heartbeatOf(after)).toBeGreaterThanOrEqual(0);
  await beats(one, 2);
  expect([one.replaced(), one.heartbeat.owner()]).toEqual([1, after]);
});

test.each([
  ['is cut', () => proxy.cut(HEARTBEAT)],
  ['freezes', () => proxy.freeze(HEARTBEAT)],
])(
  'when the connection of a heartbeat %s, the heartbeat continues over another connection under the same id',
  async (_how, break_) => {
    const one = await live({ statementMs: 500 });
    const owner = one.heartbeat.owner();
    await beats(one);
    expect(break_()).toBe(1);
    await beats(one, 3);
    expect([one.heartbeat.owner(), one.replaced()]).toEqual([owner, 0]);
  },
);

test('when the connection of a heartbeat freezes as soon as it is opened, the next one is opened', async () => {
  const one = await live({ statementMs: 500 });
  const opened = proxy.freezeAt(HEARTBEAT, 'is lost');
  proxy.cut(HEARTBEAT);
  await until(async () => opened.hasFrozen(), Boolean);
  await beats(one, 3);
  expect(one.replaced()).toBe(0);
});

const notify = () => direct.query('select pg_notify($1, $2)', [CHANNEL, '']);

test('a notification is passed on, even from a connection that was opened later', async () => {
  const one = await live();
  await notify();
  await until(
    async () => one.notified(),
    (times) => times === 1,
  );
  proxy.cut(HEARTBEAT);
  await beats(one, 2);
  await notify();
  const times = await until(
    async () => one.notified(),
    (count) => count > 1,
  );
  expect(times).toBe(2);
});

test('a process that stops deletes its row', async () => {
  const { heartbeat } = await live();
  started.splice(0);
  await heartbeat.stop();
  expect(await heartbeatOf(heartbeat.owner())).toBeUndefined();
});
