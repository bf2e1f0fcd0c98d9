// Where a job's last finished run ended, so that its next one begins there.
import { sql } from 'kysely';
import type { Db } from '../database/orm.ts';

export async function checkpointOfLastRun(db: Db, job: string): Promise<string | null> {
  const last = await db
    .selectFrom('job_runs')
    .select(sql<string | null>`position ->> 'checkpoint'`.as('checkpoint'))
    .where('job', '=', job)
    .where('finished_at', 'is not', null)
    .orderBy('finished_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last?.checkpoint ?? null;
}
