// The published keys of an identity provider: fetched when they are needed, and asked for anew no oftener than allowed.
import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose';

const FETCH_WITHIN_MS = 3_000;
const FETCH_EVERY_MS = 30_000;
const KEEP_FOR_MS = 600_000;

/**
 * A key id that nobody published may be a new key, so the set is fetched again for it: once for each cool-down,
 * whether the fetch works out or not, or whoever makes ids up could have a provider in trouble asked without end.
 */
export function createKeySet(url: string): JWTVerifyGetKey {
  let askedAtMs = Number.NEGATIVE_INFINITY;
  const keySet = createRemoteJWKSet(new URL(url), {
    timeoutDuration: FETCH_WITHIN_MS,
    cooldownDuration: FETCH_EVERY_MS,
    cacheMaxAge: KEEP_FOR_MS,
    [customFetch]: (address, options) => {
      askedAtMs = Date.now();
      return fetch(address, options);
    },
  });
  const isPublished = (kid: unknown): boolean => keySet.jwks()?.keys.some((key) => key.kid === kid) === true;

  return (header, token) => {
    const isCoolingDown = keySet.fresh && !keySet.reloading && Date.now() < askedAtMs + FETCH_EVERY_MS;
    if (isCoolingDown && !isPublished(header.kid)) throw new errors.JWKSNoMatchingKey();
    return keySet(header, token);
  };
}
