// Checks an ID token beyond its signature and expiry: it must have the right type, be issued for this service only, and belong to the
// sign-in that the app began.
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
