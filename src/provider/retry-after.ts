// Tracks the provider's `Retry-After`. It blocks the operation that was answered with it. It blocks every operation only if the
// provider as a whole refuses: after a 401 or 403, or after a 503 on several operations.
import { OutcomeUnknown } from './errors.ts';

/** The longest `Retry-After` that is honoured, so that a wrong header cannot block calls for a year. */
const LONGEST_MS = 10 * 60_000;

export type RetryAfter = {
  record: (operation: string, error: unknown) => void;
  /** How long calls of this operation are still blocked, in milliseconds. */
  remainingMs: (operation: string) => number;
};

type Ends = Map<string, number>;

export function createRetryAfter(): RetryAfter {
  const rateLimited: Ends = new Map();
  const unavailable: Ends = new Map();
  let refusedUntil = 0;

  const extend = (ends: Ends, operation: string, end: number): void => {
    ends.set(operation, Math.max(ends.get(operation) ?? 0, end));
  };

  /** The provider as a whole counts as unavailable while at least two of its operations are unavailable. */
  const unavailableUntil = (): number => [...unavailable.values()].toSorted((a, b) => b - a)[1] ?? 0;

  return {
    record: (operation, error) => {
      if (!(error instanceof OutcomeUnknown) || error.retryAfterMs === null) return;
      const end = performance.now() + Math.min(error.retryAfterMs, LONGEST_MS);
      if (error.status === 429) extend(rateLimited, operation, end);
      if (error.status === 503) extend(unavailable, operation, end);
      if (error.status === 401 || error.status === 403) refusedUntil = Math.max(refusedUntil, end);
    },
    remainingMs: (operation) => {
      const own = Math.max(rateLimited.get(operation) ?? 0, unavailable.get(operation) ?? 0);
      return Math.max(0, Math.max(own, refusedUntil, unavailableUntil()) - performance.now());
    },
  };
}
