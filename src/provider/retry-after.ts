// `Retry-After` of the provider. It holds for the operation that was answered with it; for every operation only when the
// whole provider refuses: with 401 or 403, or with 503 on several operations.
import { OutcomeUnknown } from './errors.ts';

/** The longest that is honoured: a mistake of the provider's must not stop the calls for a year. */
const LONGEST_MS = 10 * 60_000;

export type RetryAfter = {
  record: (operation: string, error: unknown) => void;
  /** For how long no call of this operation may be sent, in milliseconds. */
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

  /** The provider as a whole is unavailable for as long as two of its operations are. */
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
