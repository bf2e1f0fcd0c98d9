// Fetches a page of a list with retries: all later pages depend on it, so a short outage is waited out.
import { setTimeout as pause } from 'node:timers/promises';
import { OutcomeUnknown } from './errors.ts';

const PAUSES_MS = [500, 3_000, 10_000];
const LONGEST_ASKED_MS = 30_000;

/** @throws the error of the last try; a 404 immediately, because repeating it changes nothing. */
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
