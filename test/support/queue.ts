// The queue as the database sees it.
import { sql } from 'kysely';
import type { World } from './world.ts';

export type Job = {
  id: string;
  task: string;
  key: string | null;
  locked_by: string | null;
  attempts: number;
};

export async function jobsIn({ service }: World): Promise<Job[]> {
  const { rows } = await sql<Job>`
    select job.id::text, task.identifier as task, job.key, job.locked_by, job.attempts
    from graphile_worker._private_jobs job join graphile_worker._private_tasks task on task.id = job.task_id
    order by job.id
  `.execute(service.app.db);
  return rows;
}

export const lockedJobsIn = async (world: World): Promise<Job[]> =>
  (await jobsIn(world)).filter((job) => job.locked_by !== null);

/** Everything that waits for its next attempt is due now. */
async function runWaitingJobs({ service }: World): Promise<void> {
  const { db } = service.app;
  await sql`update graphile_worker._private_jobs set run_at = now() where locked_at is null`.execute(db);
  // A notification of the queue wakes the worker; this job has nothing to do.
  await sql`select graphile_worker.add_job('checkResource', json_build_object('handle', null))`.execute(db);
}

/** Lets time pass for the service; the provider's clock, and that of its quotes, stays. */
export async function letTimePass(world: World, ms: number): Promise<void> {
  world.clock.advance(ms);
  await runWaitingJobs(world);
}
