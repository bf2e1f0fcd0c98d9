// How long the work of payments waits in the tables for a process that claims it.
import { sql } from 'kysely';
import type { DatabaseTime } from '../platform/database/database-time.ts';
import { prepared } from './prepared.ts';

/** At most this many rows of each kind of work are read. */
const WAITS_READ_AT_MOST = 10_000;
/** A person with more pieces of work under way waits for their own slots, and does not count. */
const MAX_UNDER_WAY = 4;

type PaymentWaitsRow = {
  conversion: number[];
  payout: number[];
  report: number[];
  piles: string[];
  /** When the oldest of this work became due. Null if there is none. */
  oldestDueAt: Date | null;
};

/**
 * Finds the longest waits of the people whose payments wait, in milliseconds, and the people who have more work under way than one
 * payment has. Work that is planned for later, leased or paused does not wait.
 * @param params `limit` is the number of waits of each stage. Work that was due before `since` is not read.
 */
export const findPaymentWaits = prepared.first(
  (
    _db,
    { limit, since, now }: { limit: number; since: Date | '-infinity'; now: DatabaseTime },
  ) => sql<PaymentWaitsRow>`
    with under_way as (
      (select type::text as type, user_id, due_at from effects
        where leased_by is null and due_at between ${since} and ${now} and type in ('startConversion', 'startPayout')
        limit ${sql.lit(WAITS_READ_AT_MOST)})
      union all
      (select type::text, user_id, null from effects
        where leased_by is not null and due_at >= ${since} and type in ('startConversion', 'startPayout')
        limit ${sql.lit(WAITS_READ_AT_MOST)})
      union all
      (select 'callback', user_id, due_at from webhook_events
        where leased_by is null and due_at between ${since} and ${now} limit ${sql.lit(WAITS_READ_AT_MOST)})
      union all
      (select 'callback', user_id, null from webhook_events
        where leased_by is not null and due_at >= ${since} limit ${sql.lit(WAITS_READ_AT_MOST)})
    ),
    people as (
      select type, user_id, (extract(epoch from ${now} - min(due_at)) * 1000)::float8 as wait, sum(count(*)) over (partition by user_id) as pieces from under_way
      group by type, user_id
    ),
    waiting as (
      select type, wait from people
      where pieces <= ${sql.lit(MAX_UNDER_WAY)} and wait is not null and type not in (select type from effect_pauses)
    )
    select
      array(select wait from waiting where type = 'startConversion' order by wait desc limit ${limit}) as conversion,
      array(select wait from waiting where type = 'startPayout' order by wait desc limit ${limit}) as payout,
      array(select wait from waiting where type = 'callback' order by wait desc limit ${limit}) as report,
      array(
        select distinct user_id::text from people where pieces > ${sql.lit(MAX_UNDER_WAY)} and user_id is not null
      ) as piles,
      (select min(due_at) from under_way) as "oldestDueAt"`,
);
