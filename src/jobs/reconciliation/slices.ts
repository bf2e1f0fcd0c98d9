// A slice is a part of a list that one process scans on its own. It is a run of the job `reconcile-slice`, whose name says what to scan.

import type { Db } from '../../platform/database/orm.ts';
import { insertPlannedRun } from '../../platform/sql/job-runs.ts';
import { SLICE_JOB } from '../../platform/sql/work.ts';

/** The delay before an object that failed is scanned again, as a slice of its own. */
export const REPEATED_AFTER_MS = 60 * 60_000;

const FIRST_POSITION = JSON.stringify({ stage: 'slice', page: { after: null } });

/** Plans a slice, unless it exists. */
export const insertSlice = (
  tx: Db,
  { run, now, dueInMs = 0 }: { run: string; now: Date; dueInMs?: number },
): Promise<number> =>
  insertPlannedRun(tx, { job: SLICE_JOB, run, position: FIRST_POSITION, counts: '{}', now, dueInMs });
