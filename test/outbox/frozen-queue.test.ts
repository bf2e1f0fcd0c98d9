// Connections of the queue that freeze: what they were for goes on over others, and no job stays locked for a runner that
// does not know of it.
import { EventEmitter } from 'node:events';
import { Logger, run, type WorkerEvents } from 'graphile-worker';
import type { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Deadlines, noDeadlines, servingDeadlines } from '../../src/database/deadlines.ts';
import { createPool } from '../../src/database/pool.ts';
import { watchListener } from '../../src/worker/listener.ts';
import { createUndertaker, type Ended, holdLiveness } from '../../src/worker/liveness.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type DatabaseProxy, GET_JOBS, startDatabaseProxy } from '../support/database-proxy.ts';
import { verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { startUpstreamProxy, type UpstreamProxy } from '../support/upstream-proxy.ts';
import { startWorld } from '../support/world.ts';

const WITHIN_MS = 3 * 15_000;
const short: Deadlines = { ...servingDeadlines, statementMs: 1_000, idleSessionMs: 4_000 };

let database: TestDatabase;
let way: DatabaseProxy;
let direct: Pool;
const pools: Pool[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  way = await startDatabaseProxy(database.url);
  direct = createPool(database.url, 2, noDeadlines);
});
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.end()));
  await direct.query('delete from graphile_worker._private_jobs');
});
afterAll(async () => {
  await direct.end();
  await way.close();
  await database.drop();
});

function frozenPool(): Pool {
  const pool = createPool(way.url, 4, short);
  pools.push(pool);
  return pool;
}

describe('jobs that were locked by a statement whose answer was lost', () => {
  it('are carried out, by the runner that takes the place of that one', async () => {
    let upstream: UpstreamProxy | undefined;
    const world = await startWorld({
      env: { DATABASE_URL: way.url },
      upstream: async (sandboxUrl) => {
        upstream = await startUpstreamProxy(sandboxUrl);
        return upstream.url;
      },
    });
    const looks = () => upstream?.count('getOwner') ?? 0;
    await verified(world);
    // Due never again by itself.
    await direct.query(`update provider_resources set next_poll_at = '2200-01-01' where kind = 'owner'`);
    await until(jobs, (all) => all.length === 0);
    const before = looks();
    await strand();
    expect(looks()).toBe(before);
    await until(jobs, (all) => all.length === 0, WITHIN_MS);
    expect(looks()).toBeGreaterThan(before);
    await world.stop();
    await upstream?.close();
  });
});

describe('the listener', () => {
  it('listens on another connection when its own is frozen', async () => {
    const events: WorkerEvents = new EventEmitter();
    let listening = 0;
    events.on('pool:listen:success', () => {
      listening += 1;
    });
    watchListener(events);
    const runner = await run({
      pgPool: frozenPool(),
      taskList: { nothing: () => undefined },
      concurrency: 1,
      noHandleSignals: true,
      events,
      logger: new Logger(() => () => undefined),
    });
    await until(
      async () => listening,
      (many) => many === 1,
    );
    const sign = way.freezeAt('select 1\0', 'is lost');
    await until(
      async () => listening,
      (many) => many === 2,
    );
    expect(sign.hasFrozen()).toBe(true);
    await runner.stop();
  });
});

describe('a worker’s lock', () => {
  it('is taken again when its connection is frozen, once the server has found that out', async () => {
    const liveness = holdLiveness(frozenPool(), 'a worker');
    const before = await until(
      () => holdersOf('a worker'),
      (all) => all.length === 1,
    );
    way.freeze();
    const after = await until(
      () => holdersOf('a worker'),
      (all) => all.length === 1 && all[0] !== before[0],
    );
    expect(after).toHaveLength(1);
    await liveness.release();
  });

  it('says nothing of a runner of our own that has ended: its jobs are freed', async () => {
    await direct.query(`select graphile_worker.add_job('nothing', '{}')`);
    await direct.query(
      `update graphile_worker._private_jobs set locked_by = 'a frozen one', locked_at = now()`,
    );
    const frozen = await direct.connect();
    await frozen.query(`select pg_advisory_lock(hashtextextended('a frozen one', 0))`);
    const freed = async (ended: Ended) => {
      await createUndertaker(direct, 'another', ended)();
      return (await jobs()).filter(({ locked_by }) => locked_by === null).length;
    };
    expect(await freed(new Map())).toBe(0);
    expect(await freed(new Map([['a frozen one', Number.NEGATIVE_INFINITY]]))).toBe(1);
    frozen.release(true);
  });
});

type Job = { id: string; locked_by: string | null };

const jobs = async (): Promise<Job[]> =>
  (await direct.query<Job>('select id::text, locked_by from graphile_worker._private_jobs')).rows;

/** Adds a job so that the statement that takes it freezes. It may have been sent a moment too early: then once more. */
async function strand(): Promise<void> {
  for (;;) {
    const taking = way.freezeAt(GET_JOBS, 'arrives');
    await direct.query(`select graphile_worker.add_job('checkResource', json_build_object('handle', handle))
      from provider_resources where kind = 'owner'`);
    await until(async () => taking.hasFrozen(), Boolean);
    const isLocked = (all: Job[]) => all.some(({ locked_by }) => locked_by !== null);
    // The runner has no other statement under way that could take it.
    const locked = await until(jobs, isLocked, 2_000).catch(() => null);
    if (locked) return;
    await until(jobs, (all) => all.length === 0);
  }
}

async function holdersOf(workerId: string): Promise<number[]> {
  const { rows } = await direct.query<{ pid: number }>(
    `select pid from pg_locks where locktype = 'advisory' and granted
       and ((classid::bigint << 32) | objid::bigint) = hashtextextended($1, 0)`,
    [workerId],
  );
  return rows.map(({ pid }) => pid);
}
