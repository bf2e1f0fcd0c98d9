// The nightly jobs and their stages, in their order. A job's name is its task in the queue.
import { VERIFY_JOB } from '../audit/breaks.ts';
import { eraseDue } from './erase-due.ts';
import { purgePayloads } from './purge-payloads.ts';
import { retireEvents } from './retire-events.ts';
import { retireMonthKeys } from './retire-month-keys.ts';
import type { Stage } from './stage.ts';
import { stages as reconciliation } from './stages.ts';
import { verifyRecord } from './verify-record.ts';

export const jobs = {
  reconcile: reconciliation,
  'purge-payloads': [
    { name: 'payloads', page: purgePayloads },
    { name: 'callbacks', page: retireEvents },
    { name: 'month keys', page: retireMonthKeys },
  ],
  'erase-due': [{ name: 'people', page: eraseDue }],
  [VERIFY_JOB]: [{ name: 'audit record', page: verifyRecord }],
} satisfies Record<string, readonly Stage[]>;

export type JobName = keyof typeof jobs;

/** @throws when the run is of a job that this version does not know. */
export function stagesOf(job: string): readonly Stage[] {
  const stages = Object.hasOwn(jobs, job) ? jobs[job as JobName] : null;
  if (stages === null) throw new Error(`no job ${job}: its runs are of another version`);
  return stages;
}
