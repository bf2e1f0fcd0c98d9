// How long a quote of the provider is valid. Its life is a duration that begins when we receive it: the clocks of two
// companies differ, so a timestamp of one means little to the other.

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** How long a quote locks its rate, in milliseconds: by the provider's contract, and by our promise to users. */
export const QUOTE_LOCK_MS = MINUTE;
/** A quote that claims a longer life is taken to live so long, and the claim is a discrepancy. */
export const LONGEST_QUOTE_LIFE_MS = 5 * MINUTE;
/** An unused quote is deleted this long after it expired. */
export const UNUSED_QUOTES_KEPT_MS = 10 * MINUTE;
/** Clocks that differ by less are taken to agree: HTTP dates are in whole seconds. */
const SAME_CLOCK_MS = 2 * SECOND;

/**
 * @param expiresAt the end of the quote by the provider's clock.
 * @param providerNow the provider's clock when it answered; null when its answer had no date.
 * @param now our clock when the answer arrived.
 * @returns the stated life in milliseconds from the receipt, 0 when the quote has expired already.
 */
export function statedLifeMs(expiresAt: Date, providerNow: Date | null, now: Date): number {
  const aheadMs = providerNow === null ? 0 : providerNow.getTime() - now.getTime();
  const skewMs = Math.abs(aheadMs) < SAME_CLOCK_MS ? 0 : aheadMs;
  return Math.max(0, expiresAt.getTime() - skewMs - now.getTime());
}

/** @returns for how long after its receipt users may confirm the quote, in milliseconds: our lock, or the provider's shorter one. */
export const lockMs = (lifeMs: number): number => Math.min(QUOTE_LOCK_MS, lifeMs);

/**
 * @returns the moment from which the provider certainly accepts no conversion with the quote: never earlier than its
 *   lock.
 */
export const overForCertainAt = (receivedAt: Date, lifeMs: number): Date =>
  new Date(receivedAt.getTime() + Math.min(Math.max(QUOTE_LOCK_MS, lifeMs), LONGEST_QUOTE_LIFE_MS));

export const livesTooLong = (lifeMs: number): boolean => lifeMs > LONGEST_QUOTE_LIFE_MS;
