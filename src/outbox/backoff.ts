// Computes the delay before the next attempt of an effect or a callback. Delays grow with the number of attempts, and a longer
// `Retry-After` of the provider overrides them. A call that was not sent is retried within seconds, so that work resumes soon
// after an outage. A pending refusal is retried at the latest when no earlier request can still be in flight.
import { isUnsent, OutcomeUnknown } from '../provider/errors.ts';

/** Thrown while an earlier request may still be in flight. `remainingMs` says when the effect is to be retried. */
export class StillInFlight extends OutcomeUnknown {
  /** How long an earlier request may still be in flight, in milliseconds. */
  readonly remainingMs: number;

  constructor(operation: string, what: string, leftMs: number) {
    super(operation, `${what}, but an earlier request may still go through`, { mayHaveActed: false });
    this.name = 'StillInFlight';
    this.remainingMs = Math.max(0, leftMs);
  }
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const delaysMs = [1, 2, 5, 10, 20, 40].map((seconds) => seconds * SECOND);
const LONGEST_MS = 10 * MINUTE;
/** The longest `Retry-After` that is honoured, so that a wrong header of the provider cannot delay a payment for a year. */
const LONGEST_ASKED_MS = 60 * MINUTE;

/**
 * After this many attempts (about a day) work is no longer retried by itself: an effect is exhausted, a callback is unmatched.
 * Operators can queue it again, and reconciliation queues exhausted effects again.
 */
export const MAX_ATTEMPTS = 150;

/**
 * The attempts of an effect that is queued again after its last attempt. With a count above zero, its handle is looked up before
 * anything is sent.
 */
export const TRIED_BEFORE = 1;

/**
 * Plans the next attempt after a failed one. A call that was not sent does not count as an attempt.
 * @param before the number of attempts before the failed one.
 * @returns the number of attempts so far, and the milliseconds until the next one.
 */
export function afterAttempt(before: number, error: unknown): { attempts: number; delayMs: number } {
  if (isUnsent(error)) return { attempts: before, delayMs: unsentRetryIn(error.retryAfterMs) };
  const attempts = before + 1;
  if (error instanceof StillInFlight) return { attempts, delayMs: pendingRetryIn(attempts, error) };
  const retryAfterMs = error instanceof OutcomeUnknown ? error.retryAfterMs : null;
  return { attempts, delayMs: nextAttemptIn(attempts, retryAfterMs) };
}

/**
 * The delay of a call that was not sent: the provider's `Retry-After`, or else four to eight seconds. Every call is retried within
 * ten seconds after an outage, and the jitter keeps them from all being sent concurrently.
 */
const unsentRetryIn = (retryAfterMs: number | null): number =>
  retryAfterMs === null
    ? 4 * SECOND + 4 * SECOND * Math.random()
    : Math.min(retryAfterMs, LONGEST_ASKED_MS) + SECOND * Math.random();

/** The delay after an unknown outcome, but no later than one second after the last request in flight has expired. */
const pendingRetryIn = (attempts: number, { remainingMs }: StillInFlight): number =>
  Math.min(nextAttemptIn(attempts, null), remainingMs + SECOND * Math.random());

/**
 * @param attempts the number of attempts so far.
 * @param retryAfterMs the provider's `Retry-After` in milliseconds, or null.
 * @returns the milliseconds from now until the next attempt.
 */
function nextAttemptIn(attempts: number, retryAfterMs: number | null): number {
  const doubling = Math.min(LONGEST_MS, MINUTE * 2 ** Math.min(attempts - delaysMs.length, 10));
  const delay = delaysMs[attempts - 1] ?? doubling;
  // Jitter, so that calls that failed together are not retried together.
  const spread = delay * (0.8 + 0.4 * Math.random());
  return Math.max(spread, Math.min(retryAfterMs ?? 0, LONGEST_ASKED_MS));
}
