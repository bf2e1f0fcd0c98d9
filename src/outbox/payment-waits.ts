// For how long the work of payments waits. It waits in the tables for a process that claims it, and in the memory of a process for a
// slot.
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../database/orm.ts';
import type { HeldWork } from './held.ts';
import type { Work } from './work.ts';

/** Of each kind of work so many rows are read. */
const READ_AT_MOST = 10_000;
/**
 * Which of the people's waits counts, from the longest on. The work of one or two people may wait for a reason of its own: somebody may
 * have locked their rows.
 */
const COUNTS_FROM = 3;

/** The steps of a payment that may wait: its conversion, its payout, and what the provider reports about either. */
export type PaymentStage = 'conversion' | 'payout' | 'report';
export type PaymentWaits = { conversionMs: number; payoutMs: number; reportMs: number };

/** What waits in memory for a slot, of one person. */
export type WaitInMemory = { stage: PaymentStage; userId: string | null; waitMs: number };

/**
 * A person with more pieces of work under way waits for slots of their own, and does not count. One payment has one effect at a time, or
 * a few callbacks.
 */
const MOST_UNDER_WAY = 4;

type Read = Record<PaymentStage, number[]> & { piles: string[] };

/**
 * What is due and no process has waits, whether its quote is alive or not. What is planned for later, leased or paused does not. Polls
 * do not count: they are for callbacks that are lost.
 * @param inMemory see `waitsInMemory`.
 */
export async function readPaymentWaits(db: Db, inMemory: WaitInMemory[]): Promise<PaymentWaits> {
  const { rows } = await sql<Read>`
    with under_way as (
      (select type::text as type, user_id, ${sinceDue} as wait from effects
        where leased_by is null and due_at <= now() and type in ('startConversion', 'startPayout') limit ${READ_AT_MOST})
      union all
      (select type::text, user_id, null from effects
        where leased_by is not null and due_at is not null and type in ('startConversion', 'startPayout') limit ${READ_AT_MOST})
      union all
      (select 'callback', user_id, ${sinceDue} from webhook_events
        where leased_by is null and due_at <= now() limit ${READ_AT_MOST})
      union all
      (select 'callback', user_id, null from webhook_events
        where leased_by is not null and due_at is not null limit ${READ_AT_MOST})
    ),
    people as (
      select type, user_id, max(wait) as wait, sum(count(*)) over (partition by user_id) as pieces from under_way
      group by type, user_id
    ),
    waiting as (
      select type, wait from people
      where pieces <= ${MOST_UNDER_WAY} and wait is not null and type not in (select type from effect_pauses)
    )
    select
      array(select wait from waiting where type = 'startConversion' order by wait desc limit ${COUNTS_FROM}) as conversion,
      array(select wait from waiting where type = 'startPayout' order by wait desc limit ${COUNTS_FROM}) as payout,
      array(select wait from waiting where type = 'callback' order by wait desc limit ${COUNTS_FROM}) as report,
      array(select distinct user_id::text from people where pieces > ${MOST_UNDER_WAY} and user_id is not null) as piles
  `.execute(db);
  const [read = { conversion: [], payout: [], report: [], piles: [] }] = rows;
  const piles = new Set(read.piles);
  const counted = inMemory.filter(({ userId }) => userId !== null && !piles.has(userId));
  const waitMs = (ofStage: PaymentStage): number => {
    const those = counted.filter(({ stage }) => stage === ofStage).map((one) => one.waitMs);
    return [...read[ofStage], ...those].toSorted((a, b) => b - a)[COUNTS_FROM - 1] ?? 0;
  };
  return { conversionMs: waitMs('conversion'), payoutMs: waitMs('payout'), reportMs: waitMs('report') };
}

/** The longest wait of each person at each stage. */
export function waitsInMemory(held: HeldWork[], nowMs = performance.now()): WaitInMemory[] {
  const longest = new Map<string, WaitInMemory>();
  for (const { work, state, sinceMs } of held) {
    const stage = stageOf(work);
    if (stage === null || state !== 'waiting') continue;
    const key = `${stage} ${work.userId}`;
    const waitMs = Math.max(nowMs - sinceMs, longest.get(key)?.waitMs ?? 0);
    longest.set(key, { stage, userId: work.userId, waitMs });
  }
  return [...longest.values()];
}

function stageOf({ kind, type }: Work): PaymentStage | null {
  if (kind === 'callback') return 'report';
  if (type === 'startConversion') return 'conversion';
  return type === 'startPayout' ? 'payout' : null;
}

const sinceDue: RawBuilder<unknown> = sql`(extract(epoch from now() - due_at) * 1000)::float8`;
