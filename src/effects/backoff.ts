// How long to wait after an unknown outcome: briefly at first, then longer; the provider's `Retry-After` wins when it is
// longer still. A call that was not sent has no outcome: it is tried again soon, so that little time is lost once the provider
// is back. A refusal that is held is tried again when it can be believed, at the latest.
import { isUnsent, OutcomeUnknown } from '../provider/errors.ts';
import { StillInFlight } from './in-flight.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const delaysMs = [1, 2, 5, 10, 20, 40].map((seconds) => seconds * SECOND);
const LONGEST_MS = 10 * MINUTE;
/** The longest `Retry-After` that is honoured: a mistake of the provider's must not delay money for a year. */
const LONGEST_ASKED_MS = 60 * MINUTE;

/** After so many attempts (about a day) the work is set aside for operators and for reconciliation. */
export const MOST_ATTEMPTS = 150;

/**
 * @param before how many attempts there were before this one.
 * @returns how many there have been now, and milliseconds until the next one.
 */
export function afterAttempt(before: number, error: unknown): { attempts: number; delayMs: number } {
  if (isUnsent(error)) return { attempts: before, delayMs: unsentRetryIn(error.retryAfterMs) };
  const attempts = before + 1;
  if (error instanceof StillInFlight) return { attempts, delayMs: heldRetryIn(attempts, error) };
  const retryAfterMs = error instanceof OutcomeUnknown ? error.retryAfterMs : null;
  return { attempts, delayMs: nextAttemptIn(attempts, retryAfterMs) };
}

/** At the end of an outage every call is tried within ten seconds, and not all of them concurrently. */
const unsentRetryIn = (retryAfterMs: number | null): number =>
  retryAfterMs === null
    ? 4 * SECOND + 4 * SECOND * Math.random()
    : Math.min(retryAfterMs, LONGEST_ASKED_MS) + SECOND * Math.random();

/** As after any unknown outcome, but no later than the refusal can be believed. */
const heldRetryIn = (attempts: number, { leftMs }: StillInFlight): number =>
  Math.min(nextAttemptIn(attempts, null), leftMs + SECOND * Math.random());

/**
 * @param attempts how many have been made.
 * @param retryAfterMs what the provider asked for, in milliseconds, or null.
 * @returns milliseconds from now until the next attempt.
 */
function nextAttemptIn(attempts: number, retryAfterMs: number | null): number {
  const doubling = Math.min(LONGEST_MS, MINUTE * 2 ** Math.min(attempts - delaysMs.length, 10));
  const delay = delaysMs[attempts - 1] ?? doubling;
  // Spread, so that calls which failed together are not repeated together.
  const spread = delay * (0.8 + 0.4 * Math.random());
  return Math.max(spread, Math.min(retryAfterMs ?? 0, LONGEST_ASKED_MS));
}
