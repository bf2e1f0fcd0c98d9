// How each nightly job has come out lately, for the metrics and the operators' status: when it last checked everything, and how
// much its last run left unchecked.
import { sql } from 'kysely';
import { NOT_CHECKED } from '../batch/counters.ts';
import type { Db } from '../database/orm.ts';
import type { JobName } from './jobs.ts';
import { jobNames } from './schedule.ts';

export type JobOutcome = {
  job: JobName;
  /** The end of the last run that left nothing unchecked; null before the first. */
  lastSuccessAt: Date | null;
  /** Of the last run that has ended. */
  unchecked: number;
  /** Neither succeeded nor was planned for the first time within the last 26 hours: a night was missed. */
  isOverdue: boolean;
};

/** Nights are 24 hours apart, and what is left unchecked is tried again twice, an hour apart each. */
const OVERDUE_AFTER_HOURS = 26;

export async function jobOutcomes(db: Db, now: Date): Promise<JobOutcome[]> {
  const { rows } = await sql<{
    job: string;
    lastSuccessAt: Date | null;
    knownSince: Date;
    unchecked: number | null;
  }>`
    select job, max(finished_at) filter (where unchecked = 0) as "lastSuccessAt", min(updated_at) as "knownSince",
      (array_agg(unchecked order by finished_at desc) filter (where finished_at is not null))[1] as unchecked
    from (
      select job, finished_at, updated_at, coalesce((counts ->> ${NOT_CHECKED})::int, 0) as unchecked from job_runs
    ) runs
    group by job
  `.execute(db);
  const found = new Map(rows.map((row) => [row.job, row]));
  const overdueBefore = now.getTime() - OVERDUE_AFTER_HOURS * 60 * 60_000;
  return jobNames.map((job) => {
    const { lastSuccessAt = null, knownSince = now, unchecked = null } = found.get(job) ?? {};
    const isOverdue = (lastSuccessAt ?? knownSince).getTime() < overdueBefore;
    return { job, lastSuccessAt, unchecked: unchecked ?? 0, isOverdue };
  });
}
