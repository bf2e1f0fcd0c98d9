// Callbacks as work: which are due, and which process has each. All times are by the database's clock.
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

/** The columns of a callback that a process has just leased. */
const leased = sql`id, user_id, 'callback' as type, lease_token as token, due_at, null::timestamptz as urgent_until`;

export const callbackWork = {
  /** Lists the due callbacks that no process has leased, the longest due first. */
  listDue: prepared.all(
    (_db, { now, afterAt, after }: Examined) => sql<DueRow>`
    select id, user_id, 'callback' as type, due_at as place_at from webhook_events
    where leased_by is null and due_at <= ${now} and (due_at, id) > (${afterAt}::timestamptz, ${after}::uuid)
    order by due_at, id limit ${sql.lit(EXAMINED)}`,
  ),

  take: prepared.all(
    (_db, { owner, ids, now }: Taking) => sql<LeasedRow>`
    update webhook_events set leased_by = ${owner}, lease_token = lease_token + 1
    where id = any(${ids}::uuid[]) and leased_by is null and due_at <= ${now}
    returning ${leased}`,
  ),

  /** Takes a callback, unless another database transaction has locked it. */
  takeUnlocked: prepared.first(
    (_db, { owner, id, now }: TakingOne) => sql<LeasedRow>`
    update webhook_events set leased_by = ${owner}, lease_token = lease_token + 1
    where id = ${id} and id = (
      select id from webhook_events where id = ${id} and leased_by is null and due_at <= ${now}
      for no key update skip locked
    )
    returning ${leased}`,
  ),

  /** Gives a leased callback a new token. It is left as it is if the lease has ended. */
  reclaim: prepared.first(
    (_db, { id, owner, token }: Lease) => sql<LeasedRow>`
    update webhook_events set lease_token = lease_token + 1
    where id = ${id} and leased_by = ${owner} and lease_token = ${token}
    returning ${leased}`,
  ),

  /** Gives a leased callback a new token. The outcome of its last attempt could not be recorded. */
  reclaimFailed: prepared.first(
    (_db, { id, owner, token }: Lease) => sql<LeasedRow>`
    update webhook_events set lease_token = lease_token + 1, attempts = attempts + 1
    where id = ${id} and leased_by = ${owner} and lease_token = ${token}
    returning ${leased}`,
  ),

  release: prepared.count(
    (_db, { owner, ids }: Unbegun) => sql`
    update webhook_events set leased_by = null
    where id = any(${ids}::uuid[]) and leased_by = ${owner}`,
  ),

  /** Ends all leases of a process. */
  endLeasesOfOwner: prepared.count(
    (_db, { owner }: Owner) => sql`
    update webhook_events set leased_by = null, lease_token = lease_token + 1, due_at = now()
    where leased_by = ${owner} and due_at is not null`,
  ),

  /** Ends the leases of processes that are not registered any more. */
  endOrphanedLeases: prepared.count(
    () => sql`
    update webhook_events set leased_by = null, lease_token = lease_token + 1, due_at = now()
    where leased_by is not null and leased_by <> all(array(select id from processes)) and due_at is not null`,
  ),

  /** Lists the leases of a process whose callbacks became due after a time. */
  listLeases: prepared.all(
    (_db, { owner, since }: RecentLeases) => sql<LeaseRow>`
    select id, user_id, lease_token as token from webhook_events
    where leased_by = ${owner} and due_at > ${since}`,
  ),
};
