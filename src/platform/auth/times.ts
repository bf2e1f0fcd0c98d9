// Checks that the times in a signed token are plausible. Its expiry is checked together with its signature.
import { errors, type JWTPayload } from 'jose';

/** How far an honest signer's clock may be ahead of ours. */
const ISSUED_AHEAD_SECONDS = 60;
/** The end of the year 9999. A later time is milliseconds mistaken for seconds, or not a time. */
const LAST_SECOND = 253_402_300_799;

/**
 * Asserts that the times of a token are plausible. JSON allows numbers that are not dates: 1e400 is parsed as infinity, and
 * such a token would never expire.
 * @throws JWTClaimValidationFailed that names the claim.
 */
export function assertSoundTimes(claims: JWTPayload, now: Date): void {
  for (const name of ['iat', 'nbf', 'exp'] as const) {
    const seconds = claims[name];
    if (seconds !== undefined && !(seconds >= 0 && seconds <= LAST_SECOND))
      throw new errors.JWTClaimValidationFailed('no time', claims, name, 'invalid');
  }
  if ((claims.iat ?? 0) > now.getTime() / 1_000 + ISSUED_AHEAD_SECONDS)
    throw new errors.JWTClaimValidationFailed('issued in the future', claims, 'iat', 'check_failed');
}
