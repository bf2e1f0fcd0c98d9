// For how long the work of payments waits. It waits in the tables for a process that claims it, and in the memory of the process
// that committed it for a slot.
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../database/orm.ts';
import { MOST_OF_A_PERSON } from './claim.ts';
import type { HeldWork } from './held.ts';

/** Of conversions under way so many are read: those whose quotes end first. */
const READ_AT_MOST = 10_000;
/**
 * Which of the people's waits counts, from the longest on. A conversion of one or two people may wait for a reason of its own:
 * somebody may have locked its row.
 */
const COUNTS_FROM = 3;

export type PaymentWaits = {
  /** Of conversions whose quotes are running down, in milliseconds. */
  conversionMs: number;
  /** Of what the provider reports: of callbacks or of polls, whichever waits for less. Either of them brings a payment on. */
  reportMs: number;
};

/**
 * A person with more conversions under way than are claimed of one person waits for slots of their own, and does not count. What
 * operators have paused does not count either.
 * @param inMemoryMs see `waitsInMemory`.
 * @param now by the service's clock, by which polls are planned.
 */
export async function readPaymentWaits(db: Db, inMemoryMs: number[], now: Date): Promise<PaymentWaits> {
  const { rows } = await sql<{ ofPeople: number[]; callback: number; poll: number }>`
    with under_way as (
      select user_id, case when leased_by is null then ${milliseconds(sql`now() - due_at`)} end as wait
      from effects
      where urgent_until > now() and due_at <= now()
        and not exists (select from effect_pauses where effect_pauses.type = effects.type::text)
      order by urgent_until
      limit ${READ_AT_MOST}
    ),
    people as (
      select max(wait) as wait from under_way group by user_id having count(*) <= ${MOST_OF_A_PERSON}
    )
    select
      array(select wait from people where wait is not null order by wait desc limit ${COUNTS_FROM}) as "ofPeople",
      coalesce((
        select ${milliseconds(sql`now() - min(due_at)`)} from webhook_events where leased_by is null and due_at <= now()
      ), 0) as callback,
      coalesce((
        select ${milliseconds(sql`${now}::timestamptz - min(next_poll_at)`)} from provider_resources
        where leased_by is null and next_poll_at <= ${now}
      ), 0) as poll
  `.execute(db);
  const { ofPeople = [], callback = 0, poll = 0 } = rows[0] ?? {};
  const longestFirst = [...ofPeople, ...inMemoryMs].toSorted((one, other) => other - one);
  return { conversionMs: longestFirst[COUNTS_FROM - 1] ?? 0, reportMs: Math.min(callback, poll) };
}

/** The waits in a process's memory, one for each person who counts, in milliseconds. */
export function waitsInMemory(held: HeldWork[], nowMs = performance.now()): number[] {
  const byPerson = Map.groupBy(
    held.filter(({ work }) => work.isUrgent),
    ({ work }) => work.userId,
  );
  return [...byPerson.values()].flatMap((ofPerson) => {
    const waiting = ofPerson.filter(({ state }) => state === 'waiting');
    if (waiting.length === 0 || ofPerson.length > MOST_OF_A_PERSON) return [];
    return [Math.max(...waiting.map(({ sinceMs }) => nowMs - sinceMs))];
  });
}

const milliseconds = (interval: RawBuilder<unknown>) => sql`(extract(epoch from ${interval}) * 1000)::float8`;
