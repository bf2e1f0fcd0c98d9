// Our own session tokens: HS256, the user's internal id as subject, and nothing else worth stealing.

import { type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { isCanonicalUuid } from '../domain/ids.ts';
import type { Clock } from '../time/clock.ts';
import { isCompact } from './compact.ts';
import { assertSoundTimes } from './times.ts';

export type SessionTokens = {
  issue: (userId: string) => Promise<string>;
  /** @returns the user's id, or null when the token is not a valid session of ours. */
  verify: (token: string) => Promise<string | null>;
};

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** How many verified tokens are cached; the oldest are evicted first. */
const KEPT_IN_MEMORY = 10_000;

/**
 * @param secrets the first one signs, all of them verify: so secrets are rotated without ending a session.
 * @param ttlSeconds how long a session lasts.
 */
export async function createSessionTokens(
  { secrets, ttlSeconds }: { secrets: string[]; ttlSeconds: number },
  clock: Clock,
): Promise<SessionTokens> {
  const keys = await Promise.all(secrets.map(keyOf));
  const [signing] = keys;
  if (signing === undefined) throw new Error('no session secret');
  // A valid signature stays valid until the token expires, and checking it is a tenth of a small request.
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

/** @returns the token's claims under the first key that verifies it, or null. */
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
      // It may be signed with another secret.
    }
  return null;
}
