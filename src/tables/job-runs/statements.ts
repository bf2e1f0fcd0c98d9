// The runs of jobs: when each is due, and its progress.

import { sql } from 'kysely';
import type { DatabaseTime } from '../../platform/database/database-time.ts';
import { pick } from '../../platform/database/prepared.ts';
import { equals, prepared } from '../prepared.ts';
import { type Entity } from '../rows.ts';
import { ROTATION_JOB } from '../webhook-secrets/statements.ts';
import { dueIn } from '../work.ts';
import { pageId, SLICE_JOB } from './work.ts';

type JobRun = Entity<'JobRun'>;

type Key = Pick<JobRun, 'job' | 'run'>;

export const findRun = prepared.first((db, { job, run }: Key) =>
  db.selectFrom('JobRun').selectAll().where(equals({ job, run })),
);

type NewRun = Key & {
  position: string;
  /** The delay until the run is due. Null: its caller works on it now. */
  dueInMs: number | null;
};

/** Inserts a run without counts, unless it exists. @param params the position is JSON. */
export const insertNewRun = prepared.count(
  (_db, { job, run, position, dueInMs }: NewRun) => sql`
    insert into job_runs (job, run, position, counts, started_at, updated_at, due_at)
    values (${job}, ${run}, ${position}::jsonb, '{}', case when ${dueInMs}::float8 is null then now() end, now(), ${dueIn(dueInMs)})
    on conflict (job, run) do nothing`,
);

type Progress = Key & {
  formerPosition: string;
  position: string;
  counts: string;
  now: DatabaseTime;
  isFinished: boolean;
};

/** Compare-and-set on the position: returns no row if another process has ended the page. @param params positions and counts are JSON. */
export const advanceRun = prepared.first((db, params: Progress) =>
  db
    .updateTable('JobRun')
    .set({ position: sql`${params.position}::jsonb`, counts: sql`${params.counts}::jsonb` })
    .set({
      updatedAt: sql<Date>`${params.now}`,
      finishedAt: sql<Date | null>`case when ${params.isFinished}::boolean then ${params.now}::timestamptz end`,
    })
    .where(
      equals({ job: params.job, run: params.run, position: sql<never>`${params.formerPosition}::jsonb` }),
    )
    .returningAll(),
);

/** Finds the run whose next page is leased with this token. @param params `id` is the id of the work: job and run. */
export const findLeasedRun = prepared.first((db, params: { id: string; token: number }) =>
  db
    .selectFrom('JobRun')
    .selectAll()
    .where(pageId, '=', params.id)
    .where('leaseToken', '=', params.token)
    .where('leasedBy', 'is not', null),
);

type Leased = Key & { leaseToken: number };

/**
 * Ends the lease of a page that succeeded: the next page is due, unless the run is finished. Returns 0 if another process has the run,
 * or if the next night is due: that night begins at the first stage again.
 */
export const endPage = prepared.count(
  (_db, params: Leased & { dueAt: Date | null }) => sql`
    update job_runs
    set leased_by = null, failures = 0, due_at = ${params.dueAt}
    where job = ${params.job} and run = ${params.run} and lease_token = ${params.leaseToken}
      and (job = ${sql.lit(SLICE_JOB)} or not exists (
        select from job_runs as next where next.job = ${params.job} and next.run > ${params.run} and next.due_at <= now()
      ))`,
);

/** Ends the lease of a page that did not succeed. It is due again after the delay. */
export const releasePage = prepared.count((db, params: Leased & { failures: number; delayMs: number }) =>
  db
    .updateTable('JobRun')
    .set({ leasedBy: null, failures: params.failures, dueAt: dueIn(params.delayMs) })
    .where(equals(pick(params, 'job', 'run', 'leaseToken'))),
);

/** Ends the earlier runs of a job that are still due. */
export const endEarlierRuns = prepared.count((db, { job, run }: Key) =>
  db
    .updateTable('JobRun')
    .set({ dueAt: null, leasedBy: null, leaseToken: sql<number>`lease_token + 1` })
    .where('job', '=', job)
    .where('run', '<', run)
    .where('dueAt', '<=', sql<Date>`now()`),
);

export const deleteFinishedSlices = prepared.count((db, { until }: { until: DatabaseTime }) =>
  db.deleteFrom('JobRun').where('job', '=', SLICE_JOB).where('finishedAt', '<=', sql<Date>`${until}`),
);

/** Finds the position at which the last finished run of a job ended. */
export const findLastCheckpoint = prepared.first((db, { job }: { job: string }) =>
  db
    .selectFrom('JobRun')
    .select(sql<string | null>`position ->> 'checkpoint'`.as('checkpoint'))
    .where('job', '=', job)
    .where('finishedAt', 'is not', null)
    .orderBy('finishedAt', 'desc')
    .limit(sql.lit(1)),
);

/** Lists those of a job's runs that are finished. */
export const listRunsFinished = prepared.all((db, { job, runs }: { job: string; runs: string[] }) =>
  db
    .selectFrom('JobRun')
    .select('run')
    .where('job', '=', job)
    .where('run', '=', sql<string>`any(${runs}::text[])`)
    .where('finishedAt', 'is not', null),
);

/** Finishes the rotation to a webhook secret. */
export const endRotation = prepared.count((db, { secretId, now }: { secretId: string; now: Date }) =>
  db
    .updateTable('JobRun')
    .set({ finishedAt: now })
    .where(equals({ job: ROTATION_JOB, run: secretId })),
);

type JobOutcome = { job: string; lastSuccessAt: Date | null; knownSince: Date; unchecked: number | null };

/**
 * Lists for each job the end of its last run that left nothing unchecked, when it was first known, and how much its last finished run
 * left unchecked. @param params `notChecked` is the name of that count.
 */
export const listJobOutcomes = prepared.all(
  (_db, { notChecked }: { notChecked: string }) => sql<JobOutcome>`
    select job, max(finished_at) filter (where unchecked = 0) as "lastSuccessAt", min(updated_at) as "knownSince",
      (array_agg(unchecked order by finished_at desc) filter (where finished_at is not null))[1] as unchecked
    from (
      select job, finished_at, updated_at, coalesce((counts ->> ${notChecked})::int, 0) as unchecked from job_runs
      where job <> ${sql.lit(SLICE_JOB)}
    ) runs
    group by job`,
);

export const lockRun = prepared.first((db, { job, run }: Key) =>
  db.selectFrom('JobRun').selectAll().where(equals({ job, run })).forUpdate(),
);

/** Saves the counts of an operator's run, which is inserted if it is new. @param params `counts` is JSON. */
export const saveRunsCounts = prepared.count(
  (_db, params: Key & { counts: string; now: Date }) => sql`
    insert into job_runs (job, run, position, counts, started_at, updated_at)
    values (${params.job}, ${params.run}, '{}', ${params.counts}::jsonb, ${params.now}, ${params.now})
    on conflict (job, run) do update
    set counts = excluded.counts, updated_at = excluded.updated_at, finished_at = null`,
);
