// Puts the database of a stopped service back to the version before the outbox: its schema, and jobs in the queue of that version.
import type { Pool } from 'pg';
import { noDeadlines } from '../../src/platform/database/deadlines.ts';
import { createOrm, dbOf } from '../../src/platform/database/orm.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import type { MasterKey } from '../../src/platform/security/data-keys.ts';
import { unbindAll } from '../support/unversioned.ts';
import { formerQueue } from './fixtures.ts';

const LAST_MIGRATION = 'Migration20261122160000';

/** @returns a pool on the database. The caller ends it. */
export async function putBack(databaseUrl: string, masterKeys: MasterKey[]): Promise<Pool> {
  const migrating = createPool(databaseUrl, 2, noDeadlines);
  const orm = await createOrm(migrating);
  await unbindAll(dbOf(orm), masterKeys);
  while ((await orm.migrator.getExecuted()).at(-1)?.name !== LAST_MIGRATION) await orm.migrator.down();
  await migrating.query(formerQueue);
  await orm.close(true);
  return createPool(databaseUrl, 2, noDeadlines);
}

export type FormerJob = {
  task: string;
  key: string;
  payload: object;
  /** The job is due by default. */
  inMinutes?: number;
  /** The worker that had locked the job has died. */
  isLocked?: boolean;
};

export async function addJobs(pool: Pool, jobs: FormerJob[]): Promise<void> {
  for (const { task, key, payload, inMinutes = 0, isLocked = false } of jobs) {
    await pool.query(
      `select graphile_worker.add_job($1, payload := $2, job_key := $3,
         run_at := now() + make_interval(mins => $4))`,
      [task, JSON.stringify(payload), key, inMinutes],
    );
    if (isLocked)
      await pool.query(
        `update graphile_worker._private_jobs set locked_by = 'worker-gone', locked_at = now(), attempts = 1
         where key = $1`,
        [key],
      );
  }
}

export const effectJob = (effectId: string, job: Partial<FormerJob> = {}): FormerJob => ({
  task: 'runEffect',
  key: `effect:${effectId}`,
  payload: { effectId },
  ...job,
});

export const callbackJob = (eventId: string): FormerJob => ({
  task: 'dispatchWebhook',
  key: `webhook:${eventId}`,
  payload: { eventId },
});
