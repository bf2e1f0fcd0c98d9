// A slice is a part of a list that one process scans on its own. It is a run of the job `reconcile-slice`, whose name and position say what to scan.

import { insertNewRun } from '../../tables/job-runs/statements.ts';
import { SLICE_JOB } from '../../tables/job-runs/work.ts';
import type { Db } from '../../tables/orm.ts';
import type { PagePosition } from '../stage.ts';

/** The delay before an object that failed is scanned again, as a slice of its own. */
export const REPEATED_AFTER_MS = 60 * 60_000;

type Slice = {
  /** The name. It says which part of which list. */
  run: string;
  page?: PagePosition;
  dueInMs?: number;
};

export const insertSlice = (tx: Db, { run, page = { after: null }, dueInMs = 0 }: Slice): Promise<number> => {
  const position = JSON.stringify({ stage: 'slice', page });
  return insertNewRun(tx, { job: SLICE_JOB, run, position, dueInMs });
};
