// A request that was never answered may still be on its way, and be carried out when the provider receives it. Until that
// is over, a refusal of its repetition proves nothing: it is held, and only look-ups are sent.
import type { Db } from '../database/orm.ts';
import { overForCertainAt } from '../domain/quote-life.ts';
import type { Entity } from '../entities/rows.ts';
import { OutcomeUnknown } from '../provider/errors.ts';
import { findLastConsumedQuoteEnd, findLastQuoteEnd } from '../sql/conversion-quotes.ts';

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
export type InFlightUntil = (tx: Db, effect: Entity<'Effect'>) => Promise<Date | null>;

/** For payouts and withdrawals. */
export const untilUnansweredIsOld: InFlightUntil = async (_tx, effect) => unansweredUntil(effect);

const unansweredUntil = ({ lastUnknownAt }: Pick<Entity<'Effect'>, 'lastUnknownAt'>): Date | null =>
  lastUnknownAt && later(lastUnknownAt, WITHOUT_QUOTE_MS + FAILOVER_MARGIN_MS);

/** @throws StillInFlight while a refusal is held and the last look-up began too early: until then nothing is sent again. */
export function assertRepeatable(effect: Entity<'Effect'>, lookedUpAt: Date | null): void {
  const until = unansweredUntil(effect);
  if (effect.heldRefusal === null || until === null || lookedUpAt === null || lookedUpAt >= until) return;
  throw new StillInFlight(
    effect.type,
    `refused (${effect.heldRefusal})`,
    until.getTime() - lookedUpAt.getTime(),
  );
}

/** For the conversion that has one locked quote, received at `receivedAt`. */
export const untilLockedQuoteIsOver =
  ({ receivedAt, lifeMs }: { receivedAt: Date; lifeMs: number }): InFlightUntil =>
  async (_tx, { lastUnknownAt }) =>
    lastUnknownAt && later(overForCertainAt(receivedAt, lifeMs), AFTER_QUOTE_MS + FAILOVER_MARGIN_MS);

/** For the conversions that take fresh quotes: each that was committed, and not answered since, may be on its way. */
export const untilFreshQuotesAreOver =
  (leg: 'leg2' | 'reverse'): InFlightUntil =>
  async (tx, { subjectId: paymentId, userId }) =>
    endOf(await findLastQuoteEnd(tx, { paymentId, userId, leg }));

/** When a transfer that consumed one of the leg's quotes would have appeared at the latest. */
export const untilConsumedQuotesAreOver = async (
  db: Db,
  { subjectId: paymentId, userId }: Entity<'Effect'>,
  leg: 'leg2' | 'reverse',
): Promise<Date | null> => endOf(await findLastConsumedQuoteEnd(db, { paymentId, userId, leg }));

const endOf = (last: { endsAt: Date | null } | undefined): Date | null =>
  last?.endsAt ? later(last.endsAt, AFTER_QUOTE_MS + FAILOVER_MARGIN_MS) : null;

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
