// What an ID token must be besides signed and of its time: an ID token, and for nobody but us.
import { errors, type JWTHeaderParameters, type JWTPayload } from 'jose';

/**
 * The same issuer signs access tokens, logout tokens and notifications with the same keys: by `typ` they are told
 * apart (RFC 8725, 3.11). `crit` and `b64` change how a token is to be read, and nothing of that kind is known here.
 * @throws JOSEError
 */
export function assertIdTokenHeader({ typ, kid, crit, b64 }: JWTHeaderParameters): void {
  if (typ !== undefined && !/^(application\/)?jwt$/i.test(text(typ)))
    throw new errors.JWSInvalid('of another type');
  if (text(kid) === '') throw new errors.JWSInvalid('without a key id');
  if (crit !== undefined || b64 !== undefined) throw new errors.JWSInvalid('with an extension');
}

/**
 * A token that names further audiences could be handed on to us by any of them (OpenID Connect Core, 3.1.3.7).
 * @throws JWTClaimValidationFailed
 */
export function assertForUsAlone(claims: JWTPayload): void {
  if (Array.isArray(claims.aud) && claims.aud.length !== 1)
    throw new errors.JWTClaimValidationFailed('for others as well', claims, 'aud', 'check_failed');
}

/** Types promise what a signer may not have kept. */
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
