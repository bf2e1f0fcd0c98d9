// Computes how long a provider's quote is valid. Its life is a duration that starts when we receive it: our clock and the
// provider's differ, so their timestamps cannot be compared directly.

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** How long a quote locks its rate, in milliseconds, by the provider's contract and by ours (openapi/). */
export const QUOTE_LOCK_MS = MINUTE;
/**
 * The longest life of a quote. A quote that claims a longer life is treated as having this one, and the
 * claim is recorded as a discrepancy.
 */
export const LONGEST_QUOTE_LIFE_MS = 5 * MINUTE;
/** An unused quote is deleted this long after it expired. */
export const UNUSED_QUOTES_KEPT_MS = 10 * MINUTE;
/** Clocks whose difference is smaller are treated as equal, because HTTP dates have whole seconds. */
const SAME_CLOCK_MS = 2 * SECOND;

/**
 * Returns the stated life of a quote in milliseconds from its receipt; 0 if the quote has already expired.
 * @param expiresAt the end of the quote by the provider's clock.
 * @param providerNow the provider's clock when it replied; null if its reply had no date.
 * @param now our clock when the reply arrived.
 */
export function statedLifeMs(expiresAt: Date, providerNow: Date | null, now: Date): number {
  const aheadMs = providerNow === null ? 0 : providerNow.getTime() - now.getTime();
  const skewMs = Math.abs(aheadMs) < SAME_CLOCK_MS ? 0 : aheadMs;
  return Math.max(0, expiresAt.getTime() - skewMs - now.getTime());
}

/**
 * Returns for how many milliseconds after its receipt a user may confirm the quote: our lock, or the provider's if it is shorter.
 */
export const lockMs = (lifeMs: number): number => Math.min(QUOTE_LOCK_MS, lifeMs);

/** Returns whether a quote can no longer be confirmed. It cannot be at its end itself. */
export const isExpired = (expiresAt: Date, now: Date): boolean => now >= expiresAt;

/**
 * Returns the moment from which the provider certainly accepts no conversion with the quote. It is never
 * earlier than the end of the lock.
 */
export const overForCertainAt = (receivedAt: Date, lifeMs: number): Date =>
  new Date(receivedAt.getTime() + Math.min(Math.max(QUOTE_LOCK_MS, lifeMs), LONGEST_QUOTE_LIFE_MS));

export const livesTooLong = (lifeMs: number): boolean => lifeMs > LONGEST_QUOTE_LIFE_MS;
