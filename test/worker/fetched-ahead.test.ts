// Jobs that were fetched ahead when a runner is stopped: they are given back before it has ended, and where the database
// is away at that moment, that is the runner's failure and not the end of the process.
import { EventEmitter } from 'node:events';
import { Logger, run, type WorkerEvents } from 'graphile-worker';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPool } from '../../src/database/pool.ts';
import { mendLocalQueues } from '../../src/worker/local-queue.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
const unheard: unknown[] = [];
const note = (reason: unknown) => void unheard.push(reason);

beforeAll(async () => {
  database = await createTestDatabase();
  process.on('unhandledRejection', note);
});
afterAll(async () => {
  process.off('unhandledRejection', note);
  await database.drop();
});

it('are given back by the time it has ended', async () => {
  const { stop, pool } = await holdJobsAhead();
  await stop();
  const { rows } = await pool.query(
    'select 1 from graphile_worker._private_jobs where locked_by is not null',
  );
  expect(rows).toEqual([]);
  await pool.end();
});

it('without a database they stay where they are, and no failure goes unheard', async () => {
  const { stop, pool } = await holdJobsAhead();
  pool.connect = () => Promise.reject(new Error('the database is away'));
  await stop();
  // An unheard failure is told at the end of the turn.
  await turn();
  expect(unheard).toEqual([]);
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A runner with one job in hand, which ends when it is stopped, and others fetched ahead. */
async function holdJobsAhead(): Promise<{ stop: () => Promise<void>; pool: Pool }> {
  const pool = createPool(database.url, 4);
  const events: WorkerEvents = new EventEmitter();
  mendLocalQueues(events);
  const enters = (mode: string) =>
    new Promise<void>((resolve) => {
      events.on('localQueue:setMode', ({ newMode }) => newMode === mode && resolve());
    });
  const [ahead, released] = [enters('WAITING'), enters('RELEASED')];
  await pool.query(`select graphile_worker.add_job('wait', '{}') from generate_series(1, 3)`);
  const inHand = Promise.withResolvers<void>();
  const runner = await run({
    pgPool: pool,
    taskList: { wait: () => inHand.promise },
    concurrency: 1,
    noHandleSignals: true,
    events,
    logger: new Logger(() => () => undefined),
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0, localQueue: { size: 2 } } },
  });
  runner.promise.catch(() => undefined);
  await ahead;
  // The fetch that brought them is over, too.
  await turn();
  return {
    pool,
    stop: async () => {
      const stopped = runner.stop();
      void released.then(inHand.resolve);
      await stopped;
    },
  };
}
