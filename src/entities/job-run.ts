// One night's run of a nightly job: how far it has come, so that any process can go on where another was stopped.
import { defineEntity, p } from '@mikro-orm/core';
import { moment } from './columns.ts';

export const JobRun = defineEntity({
  name: 'JobRun',
  tableName: 'job_runs',
  properties: {
    job: p.string().length(60).primary(),
    /** The night it belongs to (`2026-11-21`, UTC), or what an operator's run was named. */
    run: p.string().length(60).primary(),
    /** Where the next page begins; its form is the job's own. */
    position: p.json<Record<string, unknown>>(),
    /** What has been done so far, by kind. */
    counts: p.json<Record<string, number>>(),
    startedAt: moment(),
    updatedAt: moment(),
    finishedAt: moment().nullable(),
  },
});
