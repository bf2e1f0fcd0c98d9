// One run of a nightly job: when it is due, and its progress, so that any process can continue a run that another process started.
import { defineEntity, p } from '@mikro-orm/core';
import { moment, work } from '../columns.ts';

export const JobRun = defineEntity({
  name: 'JobRun',
  tableName: 'job_runs',
  place: 'coordinator',
  properties: {
    job: p.string().length(60).primary(),
    /** The night that the run belongs to (`2026-11-21`, UTC), what a slice scans, or the name of an operator's run. */
    run: p.string().length(60).primary(),
    /** The position at which the next page begins. Each job defines its form. */
    position: p.json<Record<string, unknown>>(),
    counts: p.json<Record<string, number>>(),
    /** Null for a planned run, which starts when it is due. */
    startedAt: moment().nullable(),
    updatedAt: moment(),
    finishedAt: moment().nullable(),
    /** How many attempts at the current page have failed. */
    failures: p.integer().default(0),
    ...work(),
  },
});
