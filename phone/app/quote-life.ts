// Until when a price can be confirmed, by a clock that may be wrong: the phone's.

const LONGEST_MS = 60_000;

/**
 * @param expiresAt as the API says it.
 * @param receivedAtMs by this phone's clock, when the answer came.
 * @returns by this phone's clock. A time that cannot be, because the clock is wrong, is the longest from now.
 */
export function endOf(expiresAt: string, receivedAtMs: number): number {
  const leftMs = Date.parse(expiresAt) - receivedAtMs;
  return receivedAtMs + (leftMs > 0 && leftMs <= LONGEST_MS ? leftMs : LONGEST_MS);
}
