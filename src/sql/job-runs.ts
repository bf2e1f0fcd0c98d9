// The runs of jobs: when each is due, and its progress.
import { sql } from 'kysely';
import { prepared } from '../database/prepared.ts';
import type { Entity } from '../entities/rows.ts';

type JobRun = Entity<'JobRun'>;
type Key = Pick<JobRun, 'job' | 'run'>;

export const lockRun = prepared.first((db, { job, run }: Key) =>
  db.selectFrom('JobRun').selectAll().where('job', '=', job).where('run', '=', run).forUpdate(),
);

/** Saves the counts of an operator's run, which is inserted if it is new. @param given `counts` is JSON. */
export const saveRunsCounts = prepared.count(
  (_db, given: Key & { counts: string; now: Date }) => sql`
    insert into job_runs (job, run, position, counts, started_at, updated_at)
    values (${given.job}, ${given.run}, '{}', ${given.counts}::jsonb, ${given.now}, ${given.now})
    on conflict (job, run) do update
    set counts = excluded.counts, updated_at = excluded.updated_at, finished_at = null`,
);
