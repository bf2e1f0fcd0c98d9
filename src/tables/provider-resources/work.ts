// Resources as work: which are to be polled, and which process has each. All times are by the database's clock.
import { sql } from 'kysely';
import { prepared } from '../prepared.ts';
import {
  type DueRow,
  EXAMINED,
  type Examined,
  type Lease,
  type LeasedRow,
  type LeaseRow,
  type Owner,
  type RecentLeases,
  type Taking,
  type TakingOne,
  type Unbegun,
} from '../work.ts';

/** The columns of a resource that a process has just leased. */
const leased = sql`handle as id, user_id, 'poll' as type, lease_token as token, next_poll_at as due_at, null::timestamptz as urgent_until`;

export const pollWork = {
  /** Lists the resources that are due for a poll and that no process has leased, the longest due first. */
  listDue: prepared.all(
    (_db, { now, afterAt, after }: Examined) => sql<DueRow>`
    select handle as id, user_id, 'poll' as type, next_poll_at as place_at from provider_resources
    where leased_by is null and next_poll_at <= ${now} and (next_poll_at, handle) > (${afterAt}::timestamptz, ${after}::uuid)
    order by next_poll_at, handle limit ${sql.lit(EXAMINED)}`,
  ),

  take: prepared.all(
    (_db, { owner, userIds, ids, now }: Taking) => sql<LeasedRow>`
    update provider_resources set leased_by = ${owner}, lease_token = lease_token + 1
    where user_id = any(${userIds}::uuid[]) and handle = any(${ids}::uuid[]) and leased_by is null and next_poll_at <= ${now}
    returning ${leased}`,
  ),

  /** Takes a resource, unless another database transaction has locked it. */
  takeUnlocked: prepared.first(
    (_db, { owner, userId, id, now }: TakingOne) => sql<LeasedRow>`
    update provider_resources set leased_by = ${owner}, lease_token = lease_token + 1
    where user_id = ${userId} and handle = (
      select handle from provider_resources
      where user_id = ${userId} and handle = ${id} and leased_by is null and next_poll_at <= ${now}
      for no key update skip locked
    )
    returning ${leased}`,
  ),

  /** Gives a leased resource a new token. It is left as it is if the lease has ended. */
  reclaim: prepared.first(
    (_db, { id, userId, owner, token }: Lease) => sql<LeasedRow>`
    update provider_resources set lease_token = lease_token + 1
    where handle = ${id} and user_id = ${userId} and leased_by = ${owner} and lease_token = ${token}
    returning ${leased}`,
  ),

  /** Gives a leased resource a new token. The outcome of its last poll could not be recorded. */
  reclaimFailed: prepared.first(
    (_db, { id, userId, owner, token }: Lease) => sql<LeasedRow>`
    update provider_resources set lease_token = lease_token + 1, poll_failures = poll_failures + 1
    where handle = ${id} and user_id = ${userId} and leased_by = ${owner} and lease_token = ${token}
    returning ${leased}`,
  ),

  release: prepared.count(
    (_db, { owner, userIds, ids }: Unbegun) => sql`
    update provider_resources set leased_by = null
    where user_id = any(${userIds}::uuid[]) and handle = any(${ids}::uuid[]) and leased_by = ${owner}`,
  ),

  /** Ends all leases of a process. */
  endLeasesOfOwner: prepared.count(
    (_db, { owner }: Owner) => sql`
    update provider_resources set leased_by = null, lease_token = lease_token + 1, next_poll_at = now()
    where leased_by = ${owner}`,
  ),

  /** Ends the leases of processes that are not registered any more. */
  endOrphanedLeases: prepared.count(
    () => sql`
    update provider_resources set leased_by = null, lease_token = lease_token + 1, next_poll_at = now()
    where leased_by is not null and leased_by <> all(array(select id from processes))`,
  ),

  /** Lists the leases of a process whose polls became due after a time, or became superfluous: a callback was faster. */
  listLeases: prepared.all(
    (_db, { owner, since }: RecentLeases) => sql<LeaseRow>`
    select handle as id, user_id, lease_token as token from provider_resources
    where leased_by = ${owner} and (next_poll_at is null or next_poll_at > ${since})`,
  ),
};
