// What an ID token must be besides signed and current: of the right type, and for no audience but us.
import { errors, type JWTHeaderParameters, type JWTPayload } from 'jose';

/**
 * The same issuer signs access tokens, logout tokens and notifications with the same keys: `typ` tells them apart (RFC
 * 8725, 3.11). `crit` and `b64` change how a token is to be read, and no such extension is supported.
 * @throws JOSEError
 */
export function assertIdTokenHeader({ typ, kid, crit, b64 }: JWTHeaderParameters): void {
  if (typ !== undefined && !/^(application\/)?jwt$/i.test(text(typ)))
    throw new errors.JWSInvalid('of another type');
  if (text(kid) === '') throw new errors.JWSInvalid('without a key id');
  if (crit !== undefined || b64 !== undefined) throw new errors.JWSInvalid('with an extension');
}

/**
 * A token for further audiences could be replayed to us by any of them (OpenID Connect Core, 3.1.3.7).
 * @throws JWTClaimValidationFailed
 */
export function assertForUsAlone(claims: JWTPayload): void {
  if (Array.isArray(claims.aud) && claims.aud.length !== 1)
    throw new errors.JWTClaimValidationFailed('for other audiences as well', claims, 'aud', 'check_failed');
}

/** The types promise what a signer may not have kept. */
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
