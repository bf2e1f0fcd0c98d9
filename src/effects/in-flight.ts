// A request that was never answered may still be on its way, and be carried out when the provider receives it. Until that
// is over, a refusal of its repetition proves nothing: it is held, and only look-ups are sent.
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../database/orm.ts';
import { LONGEST_QUOTE_LIFE_MS, overForCertainAt, QUOTE_LOCK_MS } from '../domain/quote-life.ts';
import type { EffectRow } from '../entities/rows.ts';
import { OutcomeUnknown } from '../provider/errors.ts';

/** So long after the end of its quote the provider may still be judging a request that it received in time. */
const AFTER_QUOTE_MS = 30_000;
/** A request that needs no quote counts as on its way for so long after it went unanswered. */
const WITHOUT_QUOTE_MS = 3 * 60_000;
/**
 * All times here are by the database's clock, so the clocks of processes may differ by any amount. A failover replaces that clock:
 * the promoted server's may be ahead, and what was written before the failover then seems older than it is. Servers that keep
 * their time by NTP differ by less than a second; this covers a server that has lost it for a day and drifts by 0.05 %.
 */
const FAILOVER_MARGIN_MS = 60_000;

/**
 * When no request under the effect's handle can be carried out any more, read under the lock of its row.
 * Null: every request was answered, or provably never sent.
 */
export type InFlightUntil = (tx: Db, effect: EffectRow) => Promise<Date | null>;

/** For payouts and withdrawals. */
export const untilUnansweredIsOld: InFlightUntil = async (_tx, effect) => unansweredUntil(effect);

const unansweredUntil = ({
  last_unknown_at: lastUnknownAt,
}: Pick<EffectRow, 'last_unknown_at'>): Date | null =>
  lastUnknownAt && later(lastUnknownAt, WITHOUT_QUOTE_MS + FAILOVER_MARGIN_MS);

/** @throws StillInFlight while a refusal is held and the last look-up began too early: until then nothing is sent again. */
export function assertRepeatable(effect: EffectRow, lookedUpAt: Date | null): void {
  const until = unansweredUntil(effect);
  if (effect.held_refusal === null || until === null || lookedUpAt === null || lookedUpAt >= until) return;
  throw new StillInFlight(
    effect.type,
    `refused (${effect.held_refusal})`,
    until.getTime() - lookedUpAt.getTime(),
  );
}

/** For the conversion that has one locked quote, received at `receivedAt`. */
export const untilLockedQuoteIsOver =
  ({ receivedAt, lifeMs }: { receivedAt: Date; lifeMs: number }): InFlightUntil =>
  async (_tx, { last_unknown_at: lastUnknownAt }) =>
    lastUnknownAt && later(overForCertainAt(receivedAt, lifeMs), AFTER_QUOTE_MS + FAILOVER_MARGIN_MS);

/** For the conversions that take fresh quotes: each that was committed, and not answered since, may be on its way. */
export const untilFreshQuotesAreOver =
  (leg: 'leg2' | 'reverse'): InFlightUntil =>
  (tx, effect) =>
    latestEnd(tx, effect, leg, false);

/** When a transfer that consumed one of the leg's quotes would have appeared at the latest. */
export const untilConsumedQuotesAreOver = (
  db: Db,
  effect: EffectRow,
  leg: 'leg2' | 'reverse',
): Promise<Date | null> => latestEnd(db, effect, leg, true);

async function latestEnd(
  db: Db,
  { subject_id: paymentId, user_id: userId }: EffectRow,
  leg: 'leg2' | 'reverse',
  onlyConsumed: boolean,
): Promise<Date | null> {
  const { endsAt } = await db
    .selectFrom('conversion_quotes')
    .select(sql<Date | null>`max(created_at + ${boundedLife})`.as('endsAt'))
    .where('payment_id', '=', paymentId)
    .where('user_id', '=', userId)
    .where('leg', '=', leg)
    .$if(onlyConsumed, (quotes) => quotes.where('is_consumed', '=', true))
    .executeTakeFirstOrThrow();
  return endsAt && later(endsAt, AFTER_QUOTE_MS + FAILOVER_MARGIN_MS);
}

// `overForCertainAt`, for rows.
const boundedLife: RawBuilder<unknown> = sql`make_interval(
  secs => least(greatest(life_ms, ${sql.lit(QUOTE_LOCK_MS)}), ${sql.lit(LONGEST_QUOTE_LIFE_MS)}) / 1000.0
)`;

/** Thrown to be tried again once no earlier request can be on its way any more. When that is, is known. */
export class StillInFlight extends OutcomeUnknown {
  /** For how much longer, in milliseconds. */
  readonly leftMs: number;

  constructor(operation: string, what: string, leftMs: number) {
    super(operation, `${what}, but an earlier request may still go through`, { mayHaveActed: false });
    this.name = 'StillInFlight';
    this.leftMs = Math.max(0, leftMs);
  }
}

const later = (time: Date, ms: number): Date => new Date(time.getTime() + ms);
