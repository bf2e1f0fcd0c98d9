// The nightly jobs and their stages, in order. Rows of `job_runs` have the names of the jobs.

import { VERIFY_JOB } from '../tables/audit-events/chain-breaks.ts';
import { COMPARE_JOB, SLICE_JOB } from '../tables/job-runs/work.ts';
import { oldNameChecks, unusedCodes, unusedLookups } from '../tables/old-rows.ts';
import { compareStages, stages as reconciliation, sliceStages } from './reconciliation/stages.ts';
import { deleteOldMonthKeys } from './retention/delete-old-month-keys.ts';
import {
  deleteCallbacksOfLongAgo,
  deleteOldEffects,
  deleteOldKeys,
  deleteOldSlices,
  deletesOldRows,
} from './retention/delete-old-work.ts';
import { deleteMissedQuotes } from './retention/delete-unused-quotes.ts';
import { emptyPayloadTables } from './retention/empty-payload-tables.ts';
import { eraseDue } from './retention/erase-due.ts';
import { purgePayloads } from './retention/purge-payloads.ts';
import type { Stage } from './stage.ts';
import { verifyAuditChain } from './verify-audit-chain.ts';

export const jobs = {
  reconcile: reconciliation,
  'purge-payloads': [
    { name: 'payloads', page: purgePayloads },
    { name: 'payload tables', page: emptyPayloadTables },
    { name: 'callbacks', page: deleteCallbacksOfLongAgo },
    { name: 'month keys', page: deleteOldMonthKeys },
    { name: 'unused quotes', page: deleteMissedQuotes },
    { name: 'unused look-ups', page: deletesOldRows(unusedLookups, 'unused look-ups removed') },
    { name: 'checks of names', page: deletesOldRows(oldNameChecks, 'checks of names removed') },
    { name: 'unused codes', page: deletesOldRows(unusedCodes, 'unused codes removed') },
    { name: 'effects', page: deleteOldEffects },
    { name: 'idempotency keys', page: deleteOldKeys },
    { name: 'slices', page: deleteOldSlices },
  ],
  'erase-due': [{ name: 'people', page: eraseDue }],
  [SLICE_JOB]: sliceStages,
  [COMPARE_JOB]: compareStages,
  [VERIFY_JOB]: [{ name: 'audit record', page: verifyAuditChain }],
} satisfies Record<string, readonly Stage[]>;

export type JobName = keyof typeof jobs;
/** A job with a night. The reconciliation plans slices, and a new history of the database a comparison. */
export type NightlyJob = Exclude<JobName, typeof SLICE_JOB | typeof COMPARE_JOB>;

export const isNightly = (job: JobName): job is NightlyJob => job !== SLICE_JOB && job !== COMPARE_JOB;

/** Returns whether this version has the job. Another version may have planned runs of jobs that this one lacks. */
export const isKnownJob = (job: string): job is JobName => Object.hasOwn(jobs, job);

/** @throws if this version does not have the job. */
export function stagesOf(job: string): readonly Stage[] {
  if (!isKnownJob(job)) throw new Error(`no job ${job}: its runs are of another version`);
  return jobs[job];
}
