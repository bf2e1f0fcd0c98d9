// Checks a signed token beyond its signature and expiry: its encoding, before anything is decoded, and its times. An ID token must also
// have the right type, be issued for this service only, and belong to the sign-in that the app began.
import { errors, type JWTHeaderParameters, type JWTPayload } from 'jose';

/**
 * Asserts that a token is an ID token. The same issuer signs access tokens, logout tokens and notifications with the same keys, and
 * `typ` distinguishes them (RFC 8725, 3.11). `crit` and `b64` change how a token must be read; such extensions are not supported.
 * @throws JOSEError
 */
export function assertIdTokenHeader({ typ, kid, crit, b64 }: JWTHeaderParameters): void {
  if (typ !== undefined && !/^(application\/)?jwt$/i.test(text(typ)))
    throw new errors.JWSInvalid('of another type');
  if (text(kid) === '') throw new errors.JWSInvalid('without a key id');
  if (crit !== undefined || b64 !== undefined) throw new errors.JWSInvalid('with an extension');
}

/**
 * Asserts that a token has no further audience. Any of them could replay the token to us (OpenID Connect Core, 3.1.3.7).
 * @throws JWTClaimValidationFailed
 */
export function assertForUsAlone(claims: JWTPayload): void {
  if (Array.isArray(claims.aud) && claims.aud.length !== 1)
    throw new errors.JWTClaimValidationFailed('for other audiences as well', claims, 'aud', 'check_failed');
}

/**
 * Asserts that a token contains the app's nonce, so that the app notices a token of another sign-in (OpenID Connect Core, 3.1.3.7).
 * @param nonce as the app gave it to the sign-in. Without one, the token's nonce is ignored.
 * @throws JWTClaimValidationFailed
 */
export function assertNonce(claims: JWTPayload, nonce: string | undefined): void {
  if (nonce !== undefined && claims['nonce'] !== nonce)
    throw new errors.JWTClaimValidationFailed('of another sign-in', claims, 'nonce', 'check_failed');
}

/** Returns the value if it is a string, otherwise an empty string. A signer may not have kept to the declared types. */
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const threeParts = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Returns whether a token is three parts of base64url (RFC 7515), each equal to the encoding of its decoded bytes. Decoders accept
 * padding, white space and stray bits at the end, so without this check one signature would have many tokens.
 */
export const isCompact = (token: string): boolean =>
  threeParts.test(token) && token.split('.').every(isCanonical);

const isCanonical = (part: string): boolean => Buffer.from(part, 'base64url').toString('base64url') === part;

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
