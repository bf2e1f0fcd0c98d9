// Computes until when a price can be confirmed, by the phone's clock, which may be wrong.

/** A price never holds longer. */
export const LONGEST_MS = 60_000;

/**
 * @param expiresAt the expiry time from the API.
 * @param receivedAtMs when the answer arrived, by this phone's clock.
 * @returns the expiry by this phone's clock. If the clock is so wrong that the time is impossible, returns the longest time from
 *   now.
 */
export function endOf(expiresAt: string, receivedAtMs: number): number {
  const leftMs = Date.parse(expiresAt) - receivedAtMs;
  return receivedAtMs + (leftMs > 0 && leftMs <= LONGEST_MS ? leftMs : LONGEST_MS);
}
