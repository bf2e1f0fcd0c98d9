// Issues and verifies our own session tokens: HS256, with the user's internal id as subject and no personal value.

import { type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { Clock } from '../domain/clock.ts';
import { isCanonicalUuid } from '../domain/ids.ts';
import { assertSoundTimes, isCompact } from './token-rules.ts';

export type SessionTokens = {
  issue: (userId: string) => Promise<string>;
  /** Returns the user's id, or null if the token is not a valid session token of this service. */
  verify: (token: string) => Promise<string | null>;
};

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** The maximum number of cached tokens. The oldest are evicted first. */
const KEPT_IN_MEMORY = 10_000;

/**
 * Creates the issuer and verifier of session tokens.
 * @param secrets the first one signs and all of them verify, so a secret can be rotated without ending sessions.
 * @param ttlSeconds how long a session lasts.
 */
export async function createSessionTokens(
  { secrets, ttlSeconds }: { secrets: string[]; ttlSeconds: number },
  clock: Clock,
): Promise<SessionTokens> {
  const keys = await Promise.all(secrets.map(keyOf));
  const [signing] = keys;
  if (signing === undefined) throw new Error('no session secret');
  // Verified tokens are cached: a valid signature stays valid until the token expires, and checking it takes a
  // tenth of a small request's time.
  const verified = new Map<string, { userId: string; expiresAtMs: number }>();
  return {
    issue: (userId) => {
      const issuedAt = Math.floor(clock.now().getTime() / 1000);
      return new SignJWT()
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setSubject(userId)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + ttlSeconds)
        .sign(signing);
    },
    verify: async (token) => {
      const before = verified.get(token);
      if (before !== undefined) return clock.now().getTime() < before.expiresAtMs ? before.userId : null;
      if (!isCompact(token)) return null;
      const now = clock.now();
      const payload = await firstVerified(token, keys, now);
      if (payload === null) return null;
      const { sub: userId, exp } = payload;
      if (typeof userId !== 'string' || exp === undefined || !isCanonicalUuid(userId)) return null;
      if (verified.size >= KEPT_IN_MEMORY) verified.delete(verified.keys().next().value as string);
      verified.set(token, { userId, expiresAtMs: exp * 1_000 });
      return userId;
    },
  };
}

const keyOf = (secret: string): Promise<Key> =>
  crypto.subtle.importKey('raw', Buffer.from(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ]);

/** Returns the token's claims, verified by the first key that fits, or null. */
async function firstVerified(token: string, keys: Key[], now: Date): Promise<JWTPayload | null> {
  for (const key of keys)
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: ['HS256'],
        typ: 'JWT',
        requiredClaims: ['sub', 'iat', 'exp'],
        currentDate: now,
      });
      assertSoundTimes(payload, now);
      return payload;
    } catch {
      // Another secret may have signed the token.
    }
  return null;
}
