// Our own session tokens: HS256, the user's internal id as subject, and nothing else worth stealing.
import { jwtVerify, SignJWT } from 'jose';
import type { Clock } from '../clock.ts';

export type SessionTokens = {
  issue: (userId: string) => Promise<string>;
  /** @returns the user's id, or null when the token is not a valid session of ours. */
  verify: (token: string) => Promise<string | null>;
};

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** @param ttlSeconds how long a session lasts. */
export async function createSessionTokens(
  { secret, ttlSeconds }: { secret: string; ttlSeconds: number },
  clock: Clock,
): Promise<SessionTokens> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', Buffer.from(secret), algorithm, false, ['sign', 'verify']);
  return {
    issue: (userId) => {
      const issuedAt = Math.floor(clock.now().getTime() / 1000);
      return new SignJWT()
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setSubject(userId)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + ttlSeconds)
        .sign(key);
    },
    verify: async (token) => {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ['HS256'],
          typ: 'JWT',
          requiredClaims: ['sub', 'iat', 'exp'],
          currentDate: clock.now(),
        });
        return typeof payload.sub === 'string' && uuid.test(payload.sub) ? payload.sub : null;
      } catch {
        return null;
      }
    },
  };
}
