// Work that keeps failing. It is retried ever more seldom, and operators see it here and in a metric.
import { sql } from 'kysely';
import type { Db } from '../database/orm.ts';

/** After this many failures in a row, work is shown to operators. The indexes `*_failing` repeat the number. */
export const SHOWN_AFTER_FAILURES = 5;

const failures = sql.lit(SHOWN_AFTER_FAILURES);

/** One row per effect, callback, poll or nightly run that is not finished and has failed at least five times in a row. */
export const failingWork = sql`(
  select 'effect' as kind, id::text as id, type || ' of ' || subject_kind || ' ' || subject_id as about,
    attempts as failures, due_at as "dueAt", last_error as "lastError"
  from effects where due_at is not null and attempts >= ${failures}
  union all
  select 'callback', id::text, event_type, attempts, due_at, null
  from webhook_events where due_at is not null and attempts >= ${failures}
  union all
  select 'poll', handle::text, kind || ' of ' || subject_kind || ' ' || subject_id, poll_failures, next_poll_at, null
  from provider_resources where next_poll_at is not null and poll_failures >= ${failures}
  union all
  select 'nightly run', run, job, failures, due_at, null
  from job_runs where due_at is not null and failures >= ${failures}
) failing`;

export type FailingWork = {
  kind: 'effect' | 'callback' | 'poll' | 'nightly run';
  id: string;
  /** The effect's or resource's type and subject, the callback's event, or the job. */
  about: string;
  failures: number;
  dueAt: Date;
  /** Only effects keep their last error. The log has the others. */
  lastError: string | null;
};

/** The most failures first. */
export async function listFailingWork(db: Db, limit: number): Promise<FailingWork[]> {
  const { rows } = await sql<FailingWork>`
    select * from ${failingWork} order by failures desc, "dueAt" limit ${limit}`.execute(db);
  return rows;
}
