// For how long a quote of the provider holds. A life is a duration that begins when we receive the quote: the clocks of two
// companies differ, and a moment that one of them names means little to the other.

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** A quote locks its rate for so long, in milliseconds: the provider's contract says so, and so do we to users. */
export const QUOTE_LOCK_MS = MINUTE;
/** A quote that claims a longer life counts as living so long, and the claim is a discrepancy. */
export const LONGEST_QUOTE_LIFE_MS = 5 * MINUTE;
/** Two clocks that differ by less are taken for one: HTTP tells the time in whole seconds. */
const SAME_CLOCK_MS = 2 * SECOND;

/**
 * @param expiresAt the end of the quote by the provider's clock.
 * @param providerNow the provider's clock when it answered; null when its answer did not tell.
 * @param now our clock when the answer came.
 * @returns the stated life in milliseconds from the receipt, 0 when the quote is over already.
 */
export function statedLifeMs(expiresAt: Date, providerNow: Date | null, now: Date): number {
  const aheadMs = providerNow === null ? 0 : providerNow.getTime() - now.getTime();
  const skewMs = Math.abs(aheadMs) < SAME_CLOCK_MS ? 0 : aheadMs;
  return Math.max(0, expiresAt.getTime() - skewMs - now.getTime());
}

/** @returns when users may not confirm the quote any more: the earlier of our lock and the provider's own. */
export const lockedUntil = (receivedAt: Date, lifeMs: number): Date =>
  new Date(receivedAt.getTime() + Math.min(QUOTE_LOCK_MS, lifeMs));

/** @returns when the provider takes no conversion with the quote any more, for certain: never earlier than its lock. */
export const overForCertainAt = (receivedAt: Date, lifeMs: number): Date =>
  new Date(receivedAt.getTime() + Math.min(Math.max(QUOTE_LOCK_MS, lifeMs), LONGEST_QUOTE_LIFE_MS));

export const livesTooLong = (lifeMs: number): boolean => lifeMs > LONGEST_QUOTE_LIFE_MS;
