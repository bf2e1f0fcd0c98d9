// Retries a call several times, for example for a page of a list: all later pages depend on it, so a short outage must not end it.
import { setTimeout as pause } from 'node:timers/promises';
import { OutcomeUnknown } from './errors.ts';

const PAUSES_MS = [500, 3_000, 10_000];
const LONGEST_ASKED_MS = 30_000;

/**
 * Calls `ask` up to four times while its outcome is unknown.
 * @throws the error of the last attempt. A 404 is thrown immediately, because a retry would not change it.
 */
export async function withRetries<Result>(
  ask: () => Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof OutcomeUnknown) || isNotFound(error)) throw error;
      const askedMs = Math.min(error.retryAfterMs ?? 0, LONGEST_ASKED_MS);
      await pause(Math.max(pauseMs, askedMs), undefined, signal && { signal });
    }
  }
  return ask();
}

export const isNotFound = (error: unknown): boolean =>
  error instanceof OutcomeUnknown && error.status === 404;
