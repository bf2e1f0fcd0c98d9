// Nightly runs as work: whose next page is due, and which process has each. All times are by the database's clock.
import { sql } from 'kysely';
import { prepared } from '../prepared.ts';
import type { Lease, LeasedRow, LeaseRow, Owner, Unbegun } from '../work.ts';

/** The job whose runs are slices of the provider's lists. All of them are due concurrently. */
export const SLICE_JOB = 'reconcile-slice';
/** The job that compares the provider's lists after the database was restored. It has no nights. */
export const COMPARE_JOB = 'compare-lists';
export const SLICES_OF_A_PROCESS = 4;

/** The id of a run as work. */
export const pageId = sql<string>`job || ' ' || run`;

/** The columns of a run that a process has just leased. */
const leased = sql`${pageId} as id, null::uuid as user_id, job as type, lease_token as token, due_at, null::timestamptz as urgent_until`;

export const pageWork = {
  /**
   * Takes the latest due run of each job, and slices. The lease covers one page. An earlier run of the same job that is still in
   * progress gives way to the latest, but slices do not give way to each other.
   */
  take: prepared.all(
    (_db, { owner, limit, now }: { owner: string; limit: number; now: Date }) => sql<LeasedRow>`
    with latest as (
      select distinct on (job) job, run from job_runs
      where due_at <= now() and job <> ${sql.lit(SLICE_JOB)} order by job, run desc
    ),
    taken as (
      select job_runs.job, job_runs.run from job_runs join latest using (job, run)
      where due_at <= now() and leased_by is null
      limit ${limit}
      for no key update of job_runs skip locked
    ),
    slices as (
      select job, run from job_runs
      where job = ${sql.lit(SLICE_JOB)} and due_at <= now() and leased_by is null
      order by due_at, run
      limit greatest(0, least(
        ${limit}::int - (select count(*) from taken),
        ${sql.lit(SLICES_OF_A_PROCESS)} - (
          select count(*) from job_runs
          where job = ${sql.lit(SLICE_JOB)} and leased_by = ${owner} and due_at is not null
        )
      ))
      for no key update skip locked
    )
    update job_runs
    set leased_by = ${owner}, lease_token = lease_token + 1, started_at = coalesce(started_at, ${now})
    where ${pageId} in (select ${pageId} from taken union all select ${pageId} from slices)
    returning ${leased}`,
  ),

  /** Gives a leased run a new token. It is left as it is if the lease has ended. */
  reclaim: prepared.first(
    (_db, { id, owner, token }: Lease) => sql<LeasedRow>`
    update job_runs set lease_token = lease_token + 1
    where ${pageId} = ${id} and leased_by = ${owner} and lease_token = ${token}
    returning ${leased}`,
  ),

  /** Gives a leased run a new token. The outcome of its last page could not be recorded. */
  reclaimFailed: prepared.first(
    (_db, { id, owner, token }: Lease) => sql<LeasedRow>`
    update job_runs set lease_token = lease_token + 1, failures = failures + 1
    where ${pageId} = ${id} and leased_by = ${owner} and lease_token = ${token}
    returning ${leased}`,
  ),

  release: prepared.count(
    (_db, { owner, ids }: Unbegun) => sql`
    update job_runs set leased_by = null where ${pageId} = any(${ids}::text[]) and leased_by = ${owner}`,
  ),

  /** Ends all leases of a process. */
  endLeasesOfOwner: prepared.count(
    (_db, { owner }: Owner) => sql`
    update job_runs set leased_by = null, lease_token = lease_token + 1, due_at = now()
    where leased_by = ${owner} and due_at is not null`,
  ),

  /** Ends the leases of processes that are not registered any more. */
  endOrphanedLeases: prepared.count(
    () => sql`
    update job_runs set leased_by = null, lease_token = lease_token + 1, due_at = now()
    where leased_by is not null and leased_by <> all(array(select id from processes)) and due_at is not null`,
  ),

  /** Lists the leases of a process. */
  listLeases: prepared.all(
    (_db, { owner }: Owner) => sql<LeaseRow>`
    select ${pageId} as id, null::uuid as user_id, lease_token as token from job_runs
    where leased_by = ${owner} and due_at is not null`,
  ),
};
