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
