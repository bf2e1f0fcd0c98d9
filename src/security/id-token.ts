// Verifies ID tokens of the two native identity providers with their published key sets.
import {
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose';
import type { Clock } from '../domain/clock.ts';
import type { Log } from '../domain/log.ts';
import { isPlainText } from '../domain/plain-text.ts';
import { Refusal } from '../domain/refusals.ts';
import { createKeySet } from './key-set.ts';
import {
  assertForUsAlone,
  assertIdTokenHeader,
  assertNonce,
  assertSoundTimes,
  isCompact,
} from './token-rules.ts';

export type IdentityProvider = 'identity_provider_a' | 'identity_provider_b';

type Verification = { issuers: string[]; jwksUrl: string; audiences: string[] };

/** The identity that the provider states. `email` is null unless the provider's address can be trusted (see `trustsEmail`). */
export type Identity = { subject: string; email: string | null; name: string | null };

/** `nonce` is the one that the app gave to the sign-in. Undefined if it gave none. */
export type IdTokens = {
  verify: (provider: IdentityProvider, idToken: string, nonce?: string) => Promise<Identity>;
};

const LONGEST_TOKEN = 16_384;
const LONGEST_SUBJECT = 255;
const LONGEST_NAME = 200;

export function createIdTokens(
  identity: Record<IdentityProvider, Verification>,
  clock: Clock,
  log: Log,
): IdTokens {
  const keySets = {
    identity_provider_a: createKeySet(identity.identity_provider_a.jwksUrl, { clock, log }),
    identity_provider_b: createKeySet(identity.identity_provider_b.jwksUrl, { clock, log }),
  };
  return {
    /**
     * Verifies an ID token.
     * @throws Refusal `invalid_id_token` if the token is not valid, or `identity_provider_unavailable` if the keys
     *   to verify it cannot be fetched.
     */
    verify: async (provider, idToken, nonce) => {
      if (idToken.length > LONGEST_TOKEN) throw new Refusal('invalid_id_token');
      const { issuers, audiences } = identity[provider];
      const now = clock.now();
      try {
        if (!isCompact(idToken)) throw new errors.JWSInvalid('not in its canonical encoding');
        const { payload, protectedHeader } = await verifyWith(keySets[provider], idToken, {
          issuer: issuers,
          audience: audiences,
          algorithms: ['RS256', 'ES256'],
          requiredClaims: ['sub', 'iat', 'exp'],
          clockTolerance: 5,
          currentDate: now,
        });
        assertIdTokenHeader(protectedHeader);
        assertForUsAlone(payload);
        assertNonce(payload, nonce);
        assertSoundTimes(payload, now);
        return identityIn(provider, payload);
      } catch (error) {
        throw refusalFor(error);
      }
    },
  };
}

/**
 * Verifies a token with the key that it names. If a provider publishes several keys under one id, one of them must have signed the token.
 * jose leaves that choice to its caller.
 */
async function verifyWith(
  keySet: JWTVerifyGetKey,
  idToken: string,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(idToken, keySet, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      try {
        return await jwtVerify(idToken, key, options);
      } catch (fault) {
        if (!(fault instanceof errors.JWSSignatureVerificationFailed)) throw fault;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

function identityIn(provider: IdentityProvider, payload: JWTPayload): Identity {
  const { sub, email, name } = payload;
  if (typeof sub !== 'string' || !isStorable(sub) || sub.length > LONGEST_SUBJECT)
    throw new Refusal('invalid_id_token');
  const isEmail =
    typeof email === 'string' && /^[^\s@]{1,64}@[^\s@]{1,255}$/.test(email) && isStorable(email);
  return {
    subject: sub,
    email: isEmail && trustsEmail(provider, payload['email_verified']) ? email : null,
    name: typeof name === 'string' && isStorable(name) && isPlainText(name) ? shortened(name.trim()) : null,
  };
}

/**
 * Returns whether an address counts as verified. Provider B must state that it has verified the address; provider
 * A must not state the opposite.
 */
const trustsEmail = (provider: IdentityProvider, verified: unknown): boolean =>
  provider === 'identity_provider_b' ? verified === true : verified !== false && verified !== 'false';

/** Shortens a name by characters, because half a surrogate pair cannot be stored. */
const shortened = (name: string): string => Array.from(name).slice(0, LONGEST_NAME).join('');

/**
 * Returns whether a text can be stored unchanged. Half a surrogate pair would be stored as another character, so
 * two subjects could become one.
 */
const isStorable = (text: string): boolean => text.length > 0 && !text.includes('\0') && text.isWellFormed();

/**
 * Maps an error to a refusal. Every error of jose is the token's fault; a key set that cannot be fetched is not the user's fault.
 */
function refusalFor(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const isTokenFault = error instanceof errors.JOSEError;
  return new Refusal(isTokenFault ? 'invalid_id_token' : 'identity_provider_unavailable', undefined, {
    cause: error,
  });
}
