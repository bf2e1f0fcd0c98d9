// Effects as work: which are due, and which process has each. All times are by the database's clock.
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

/** The columns of an effect that a process has just leased. */
const leased = sql`id, user_id, type, lease_token as token, due_at, urgent_until`;

export const effectWork = {
  /** Lists the due effects that no process has leased, the longest due first. */
  listDue: prepared.all(
    (_db, { now, afterAt, after }: Examined) => sql<DueRow>`
    select id, user_id, type::text as type, due_at as place_at from effects
    where leased_by is null and due_at <= ${now} and (due_at, id) > (${afterAt}::timestamptz, ${after}::uuid)
    order by due_at, id limit ${sql.lit(EXAMINED)}`,
  ),

  /** Lists the due conversions whose quotes have not expired. The quote that expires first comes first. */
  listUrgent: prepared.all(
    (_db, { now, afterAt, after }: Examined) => sql<DueRow>`
    select id, user_id, type::text as type, urgent_until as place_at from effects
    where leased_by is null and status = 'queued' and urgent_until > ${now} and due_at <= ${now}
      and (urgent_until, id) > (${afterAt}::timestamptz, ${after}::uuid)
    order by urgent_until, id limit ${sql.lit(EXAMINED)}`,
  ),

  take: prepared.all(
    (_db, { owner, userIds, ids, now }: Taking) => sql<LeasedRow>`
    update effects set leased_by = ${owner}, lease_token = lease_token + 1
    where user_id = any(${userIds}::uuid[]) and id = any(${ids}::uuid[]) and leased_by is null and due_at <= ${now}
    returning ${leased}`,
  ),

  /** Takes an effect, unless another database transaction has locked it. */
  takeUnlocked: prepared.first(
    (_db, { owner, userId, id, now }: TakingOne) => sql<LeasedRow>`
    update effects set leased_by = ${owner}, lease_token = lease_token + 1
    where user_id = ${userId} and id = (
      select id from effects
      where user_id = ${userId} and id = ${id} and leased_by is null and due_at <= ${now}
      for no key update skip locked
    )
    returning ${leased}`,
  ),

  /** Gives a leased effect a new token. It is left as it is if the lease has ended. */
  reclaim: prepared.first(
    (_db, { id, userId, owner, token }: Lease) => sql<LeasedRow>`
    update effects set lease_token = lease_token + 1
    where id = ${id} and user_id = ${userId} and leased_by = ${owner} and lease_token = ${token}
    returning ${leased}`,
  ),

  /** Gives a leased effect a new token. Its last attempt could not be recorded: its request may have been sent. */
  reclaimFailed: prepared.first(
    (_db, { id, userId, owner, token }: Lease) => sql<LeasedRow>`
    update effects set lease_token = lease_token + 1, attempts = attempts + 1, last_unknown_at = now()
    where id = ${id} and user_id = ${userId} and leased_by = ${owner} and lease_token = ${token}
    returning ${leased}`,
  ),

  release: prepared.count(
    (_db, { owner, userIds, ids }: Unbegun) => sql`
    update effects set leased_by = null
    where user_id = any(${userIds}::uuid[]) and id = any(${ids}::uuid[]) and leased_by = ${owner}`,
  ),

  /** Ends all leases of a process. Requests may have been sent, so the next attempts expect that. */
  endLeasesOfOwner: prepared.count(
    (_db, { owner }: Owner) => sql`
    update effects set leased_by = null, lease_token = lease_token + 1, due_at = now(),
      attempts = attempts + 1, last_unknown_at = now()
    where leased_by = ${owner} and due_at is not null`,
  ),

  /** Ends the leases of processes that are not registered any more. Requests may have been sent, so the next attempts expect that. */
  endOrphanedLeases: prepared.count(
    () => sql`
    update effects set leased_by = null, lease_token = lease_token + 1, due_at = now(),
      attempts = attempts + 1, last_unknown_at = now()
    where leased_by is not null and leased_by <> all(array(select id from processes)) and due_at is not null`,
  ),

  /** Lists the leases of a process whose effects became due after a time. */
  listLeases: prepared.all(
    (_db, { owner, since }: RecentLeases) => sql<LeaseRow>`
    select id, user_id, lease_token as token from effects
    where leased_by = ${owner} and due_at > ${since}`,
  ),
};
