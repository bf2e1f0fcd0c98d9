// How each nightly job has come out lately, for the metrics and the operators' status: when it last checked everything, and how
// much its last run left unchecked.
import { NOT_CHECKED } from '../batch/counters.ts';
import type { Db } from '../database/orm.ts';
import { listJobOutcomes } from '../sql/job-runs.ts';
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
  const rows = await listJobOutcomes(db, { notChecked: NOT_CHECKED });
  const found = new Map(rows.map((row) => [row.job, row]));
  const overdueBefore = now.getTime() - OVERDUE_AFTER_HOURS * 60 * 60_000;
  return jobNames.map((job) => {
    const { lastSuccessAt = null, knownSince = now, unchecked = null } = found.get(job) ?? {};
    const isOverdue = (lastSuccessAt ?? knownSince).getTime() < overdueBefore;
    return { job, lastSuccessAt, unchecked: unchecked ?? 0, isOverdue };
  });
}
