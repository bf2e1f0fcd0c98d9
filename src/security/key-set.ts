// Fetches and caches the published keys of an identity provider, and uses the cached keys for a while if
// the provider does not respond. Entries that are not public keys are skipped.
import { createPublicKey } from 'node:crypto';
import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type FetchImplementation,
  type JWTVerifyGetKey,
} from 'jose';
import type { Clock } from '../domain/clock.ts';
import type { Log } from '../domain/log.ts';
import { reasonOf } from '../domain/reason-of.ts';

const FETCH_WITHIN_MS = 3_000;
/** The minimum time between two attempts to fetch the keys, whether they succeed or not. */
const COOL_DOWN_MS = 30_000;
/**
 * How long fetched keys are used without fetching again. While the provider responds, a key that it has withdrawn is
 * accepted for at most this long.
 */
const FRESH_FOR_MS = 600_000;
/**
 * How long fetched keys are used while the provider does not respond, so that an outage of a night locks no user out. Providers
 * publish a key days before they sign with it, so yesterday's keys still verify today's tokens. A stolen key that was withdrawn
 * is accepted for at most a day.
 */
const GOOD_FOR_MS = 24 * 60 * 60 * 1_000;
/** jose verifies no signature of a shorter RSA key. */
const SHORTEST_RSA_BITS = 2_048;
/** How many skipped entries a log line names. */
const MAX_NAMED_ENTRIES = 10;

/**
 * Creates the function that finds a key. jose fetches, parses and finds keys; this function decides when to fetch. jose's own
 * cool-down starts only after a successful fetch, and its cache ends after ten minutes even if no newer set can be fetched.
 * @returns a function that returns a key. It throws JWKSNoMatchingKey if the key is not published, or another error if
 *   that cannot be determined now.
 */
export function createKeySet(url: string, { clock, log }: { clock: Clock; log: Log }): JWTVerifyGetKey {
  const keySet = createRemoteJWKSet(new URL(url), {
    timeoutDuration: FETCH_WITHIN_MS,
    cooldownDuration: Number.POSITIVE_INFINITY,
    cacheMaxAge: Number.POSITIVE_INFINITY,
    [customFetch]: fetchUsable(url, log),
  });
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let fetchedAtMs = Number.NEGATIVE_INFINITY;
  let fault: Error | null = null;
  let fetching: Promise<void> | null = null;

  const ageMs = (sinceMs: number): number => clock.now().getTime() - sinceMs;
  // A clock that was set back must not delay the next fetch.
  const isWithin = (ms: number, sinceMs: number): boolean => ageMs(sinceMs) >= 0 && ageMs(sinceMs) < ms;
  const isPublished = (kid: unknown): boolean => keySet.jwks()?.keys.some((key) => key.kid === kid) === true;

  const fetchKeys = async (): Promise<void> => {
    askedAtMs = clock.now().getTime();
    try {
      await keySet.reload();
      fetchedAtMs = askedAtMs;
      fault = null;
    } catch (error) {
      fault = new Error('the key set of an identity provider could not be fetched', { cause: error });
      logFault(fault.message, error);
    }
  };

  /** Writes the only log line of a cool-down. The callers that are refused because keys are missing are not logged one by one. */
  const logFault = (message: string, error: unknown): void => {
    const isGood = ageMs(fetchedAtMs) < GOOD_FOR_MS;
    log[isGood ? 'warn' : 'error'](
      {
        code: 'identity.keys_unreachable',
        jwksUrl: url,
        reason: reasonOf(error),
        keysAgeSeconds: keySet.jwks() ? Math.floor(ageMs(fetchedAtMs) / 1_000) : null,
      },
      message,
    );
  };

  return async (header, token) => {
    if (!isPublished(header.kid) || !isWithin(FRESH_FOR_MS, fetchedAtMs)) {
      if (!isWithin(COOL_DOWN_MS, askedAtMs))
        fetching ??= fetchKeys().finally(() => {
          fetching = null;
        });
      await fetching;
    }
    // An unknown key may be a new one. This cannot be determined while the set cannot be fetched.
    const isKnown = isPublished(header.kid) && ageMs(fetchedAtMs) < GOOD_FOR_MS;
    if (fault && !isKnown) throw fault;
    return keySet(header, token);
  };
}

/**
 * Returns jose's `fetch` without the entries that are not usable, because jose refuses a whole set for one `null`. The skipped entries
 * have one log line, and another one when others are skipped.
 * @throws JWKSInvalid if no entry is usable. Then the known keys stay.
 */
function fetchUsable(jwksUrl: string, log: Log): FetchImplementation {
  let logged = '';
  return async (resource, options) => {
    const response = await fetch(resource, options);
    if (response.status !== 200) return response;
    const set: unknown = await response.json();
    // jose refuses what is not a key set.
    if (!isObject(set) || !Array.isArray(set['keys'])) return Response.json(set);
    const entries: unknown[] = set['keys'];
    const keys = entries.filter(isUsable);
    const skipped = entries.flatMap((entry, index) => (isUsable(entry) ? [] : [index]));
    if (skipped.length > 0 && keys.length === 0)
      throw new errors.JWKSInvalid('no entry of the JSON Web Key Set is a usable public key');
    if (skipped.length > 0 && logged !== skipped.join())
      log.warn(
        {
          code: 'identity.keys_skipped',
          jwksUrl,
          entries: skipped.slice(0, MAX_NAMED_ENTRIES),
          skipped: skipped.length,
        },
        'entries of a key set are not usable public keys and were skipped',
      );
    logged = skipped.join();
    return Response.json({ keys });
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns whether an entry of a key set is a public key. A published private key proves nothing, because anyone can use it. */
function isUsable(entry: unknown): boolean {
  if (!isObject(entry) || 'd' in entry || 'priv' in entry) return false;
  try {
    const { asymmetricKeyDetails } = createPublicKey({ key: entry, format: 'jwk' });
    return (asymmetricKeyDetails?.modulusLength ?? SHORTEST_RSA_BITS) >= SHORTEST_RSA_BITS;
  } catch {
    return false;
  }
}
