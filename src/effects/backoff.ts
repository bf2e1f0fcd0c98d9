// How long to wait after an unknown outcome: quick at first, then patient; the provider's own wish wins when it is longer.
// What was not even sent is no outcome: it waits for its next turn, which must come soon once the provider is back. And
// what only has to let some time pass is tried when that has passed, at the latest.
import { isUnsent, OutcomeUnknown } from '../provider/errors.ts';
import { StillInFlight } from './in-flight.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const delaysMs = [1, 2, 5, 10, 20, 40].map((seconds) => seconds * SECOND);
const LONGEST_MS = 10 * MINUTE;
/** However long the provider asks us to stay away: a slip of theirs must not put money to sleep for a year. */
const LONGEST_ASKED_MS = 60 * MINUTE;

/** After so many attempts (about a day) the work is set aside for operators and for reconciliation. */
export const MOST_ATTEMPTS = 150;

/**
 * @param before how many attempts there were before this one.
 * @returns how many there have been now, and milliseconds until the next one.
 */
export function afterAttempt(before: number, error: unknown): { attempts: number; delayMs: number } {
  if (isUnsent(error)) return { attempts: before, delayMs: nextTurnIn(error.retryAfterMs) };
  const attempts = before + 1;
  if (error instanceof StillInFlight) return { attempts, delayMs: nextBelievableIn(attempts, error) };
  const retryAfterMs = error instanceof OutcomeUnknown ? error.retryAfterMs : null;
  return { attempts, delayMs: nextAttemptIn(attempts, retryAfterMs) };
}

/** At the end of an outage nobody is waited for longer than ten seconds, and not everybody comes at once. */
const nextTurnIn = (retryAfterMs: number | null): number =>
  retryAfterMs === null
    ? 4 * SECOND + 4 * SECOND * Math.random()
    : Math.min(retryAfterMs, LONGEST_ASKED_MS) + SECOND * Math.random();

/** As patiently as otherwise, but a refusal that will be believed in a minute is not waited for ten. */
const nextBelievableIn = (attempts: number, { leftMs }: StillInFlight): number =>
  Math.min(nextAttemptIn(attempts, null), leftMs + SECOND * Math.random());

/**
 * @param attempts how many have been made.
 * @param retryAfterMs what the provider asked for, in milliseconds, or null.
 * @returns milliseconds from now until the next attempt.
 */
function nextAttemptIn(attempts: number, retryAfterMs: number | null): number {
  const patient = Math.min(LONGEST_MS, MINUTE * 2 ** Math.min(attempts - delaysMs.length, 10));
  const delay = delaysMs[attempts - 1] ?? patient;
  // Spread, so that what failed together does not come back together.
  const spread = delay * (0.8 + 0.4 * Math.random());
  return Math.max(spread, Math.min(retryAfterMs ?? 0, LONGEST_ASKED_MS));
}
