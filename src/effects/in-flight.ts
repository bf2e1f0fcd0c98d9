// Decides how long an unanswered request may still be in flight. The provider may yet execute it, so until then a refusal of a
// repeated request is not final: the refusal is pending, and only look-ups are sent.

import { LONGEST_QUOTE_LIFE_MS, overForCertainAt } from '../domain/quote-life.ts';
import { StillInFlight } from '../outbox/backoff.ts';
import { findLastConsumedQuoteEnd, findLastQuoteEnd } from '../tables/conversion-quotes/statements.ts';
import type { Db } from '../tables/orm.ts';
import type { Entity } from '../tables/rows.ts';
import type { RequotedLeg } from './committed-quotes.ts';

/** How long after the end of its quote the provider may still execute a request that it received in time. */
const AFTER_QUOTE_MS = 30_000;
/** How long an unanswered request without a quote counts as in flight. */
const WITHOUT_QUOTE_MS = 3 * 60_000;
/**
 * A margin for a database failover. All times in this file are by the database's clock, so the clocks of processes may differ by
 * any amount. A failover replaces that clock. If the promoted server's clock is ahead, rows written before the failover seem older
 * than they are. Servers synchronised by NTP differ by less than a second; this margin covers a server that has been without NTP
 * for a day and drifts by 0.05 %.
 */
const FAILOVER_MARGIN_MS = 60_000;

/** After this time the provider can no longer execute an unanswered request without a quote. */
export const LONGEST_UNANSWERED_MS = WITHOUT_QUOTE_MS + FAILOVER_MARGIN_MS;

/** After this time the provider can no longer execute any unanswered request, with or without a quote. */
export const LONGEST_IN_FLIGHT_MS =
  Math.max(WITHOUT_QUOTE_MS, LONGEST_QUOTE_LIFE_MS + AFTER_QUOTE_MS) + FAILOVER_MARGIN_MS;

/**
 * Returns the time after which the provider can no longer execute any request under the effect's handle. It is read under the lock
 * of the effect's row. Null if every request was answered, or provably never sent.
 */
export type InFlightUntil = (tx: Db, effect: Entity<'Effect'>) => Promise<Date | null>;

/** The in-flight bound of payouts and withdrawals: a fixed time after the last unanswered request. */
export const untilUnansweredIsOld: InFlightUntil = async (_tx, effect) => unansweredUntil(effect);

const unansweredUntil = ({ lastUnknownAt }: Pick<Entity<'Effect'>, 'lastUnknownAt'>): Date | null =>
  lastUnknownAt && later(lastUnknownAt, LONGEST_UNANSWERED_MS);

/**
 * Asserts that the request may be sent again.
 * @throws StillInFlight if a refusal is pending and the last look-up started before the in-flight bound.
 */
export function assertRepeatable(effect: Entity<'Effect'>, lookedUpAt: Date | null): void {
  const until = unansweredUntil(effect);
  if (effect.heldRefusal === null || until === null || lookedUpAt === null || lookedUpAt >= until) return;
  throw new StillInFlight(
    effect.type,
    `refused (${effect.heldRefusal})`,
    until.getTime() - lookedUpAt.getTime(),
  );
}

/** The in-flight bound of a conversion with one locked quote, which was received at `receivedAt` and is valid for `lifeMs`. */
export const untilLockedQuoteIsOver =
  ({ receivedAt, lifeMs }: { receivedAt: Date; lifeMs: number }): InFlightUntil =>
  async (_tx, { lastUnknownAt }) =>
    lastUnknownAt && later(overForCertainAt(receivedAt, lifeMs), AFTER_QUOTE_MS + FAILOVER_MARGIN_MS);

/** The in-flight bound of a conversion that takes fresh quotes: each committed quote without an answer may have a request in flight. */
export const untilFreshQuotesAreOver =
  (leg: RequotedLeg): InFlightUntil =>
  async (tx, { subjectId: paymentId, userId }) =>
    endOf(await findLastQuoteEnd(tx, { paymentId, userId, leg }));

/** The latest time at which a transfer with one of the leg's consumed quotes can still appear. Null if no quote is consumed. */
export const untilConsumedQuotesAreOver = async (
  db: Db,
  { subjectId: paymentId, userId }: Entity<'Effect'>,
  leg: RequotedLeg,
): Promise<Date | null> => endOf(await findLastConsumedQuoteEnd(db, { paymentId, userId, leg }));

const endOf = (last: { endsAt: Date | null } | undefined): Date | null =>
  last?.endsAt ? later(last.endsAt, AFTER_QUOTE_MS + FAILOVER_MARGIN_MS) : null;

const later = (time: Date, ms: number): Date => new Date(time.getTime() + ms);
