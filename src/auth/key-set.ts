// The published keys of an identity provider: when they are fetched, and how long cached ones are used without an
// answer.
import { createRemoteJWKSet, type JWTVerifyGetKey } from 'jose';
import type { Log } from '../logging/log.ts';
import type { Clock } from '../time/clock.ts';

const FETCH_WITHIN_MS = 3_000;
/** Counted from the last attempt, whether it succeeded or not. */
const COOL_DOWN_MS = 30_000;
/** While the provider answers, a key that it has withdrawn is accepted for at most so long. */
const FRESH_FOR_MS = 600_000;
/**
 * And for so long while it does not answer: an outage of a night locks no user out. Providers publish a key days before
 * they sign with it, so the keys of yesterday still sign today; and a stolen, withdrawn key is accepted for a day at
 * most.
 */
const GOOD_FOR_MS = 24 * 60 * 60 * 1_000;

/**
 * jose fetches, parses and finds the key. When to fetch is decided here: jose's own cool-down begins only with a fetch
 * that succeeded, and its cache ends after ten minutes also where no newer set can be fetched.
 * @returns a key; throws JWKSNoMatchingKey where it is not published, and another error where that cannot be known now.
 */
export function createKeySet(url: string, { clock, log }: { clock: Clock; log: Log }): JWTVerifyGetKey {
  const keySet = createRemoteJWKSet(new URL(url), {
    timeoutDuration: FETCH_WITHIN_MS,
    cooldownDuration: Number.POSITIVE_INFINITY,
    cacheMaxAge: Number.POSITIVE_INFINITY,
  });
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let fetchedAtMs = Number.NEGATIVE_INFINITY;
  let fault: Error | null = null;
  let fetching: Promise<void> | null = null;

  const ageMs = (sinceMs: number): number => clock.now().getTime() - sinceMs;
  // A clock that was set back must not put the next fetch off.
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

  /** The one log line of a cool-down: callers refused for want of keys are not logged one by one. */
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
    // An unknown key may be a new one: while the set cannot be fetched, that cannot be known.
    const isKnown = isPublished(header.kid) && ageMs(fetchedAtMs) < GOOD_FOR_MS;
    if (fault && !isKnown) throw fault;
    return keySet(header, token);
  };
}

/** One line with the error, its code and its causes: `fetch` says only that it failed, and its cause says why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? ` (${String(error.code)})` : '';
  const cause = error.cause === undefined ? '' : `: ${reasonOf(error.cause)}`;
  return `${String(error)}${code}${cause}`;
}
