// The latest outcomes of each nightly job, for the metrics and `ops status`: when it last checked everything, and how many items its last
// run could not check.

import { listJobOutcomes } from '../tables/job-runs/statements.ts';
import type { Db } from '../tables/orm.ts';
import { NOT_CHECKED } from './counters.ts';
import type { NightlyJob } from './jobs.ts';
import { jobNames } from './schedule.ts';

export type JobOutcome = {
  job: NightlyJob;
  /** The end of the last run that checked everything. Null before the first. */
  lastSuccessAt: Date | null;
  unchecked: number;
  /** Whether a night was missed: the job did not succeed, and was not planned for the first time, in the last 26 hours. */
  isOverdue: boolean;
};

/** Nights are 24 hours apart. A night that could not check everything is repeated twice, an hour apart. */
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
