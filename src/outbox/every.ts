// Recurring work of a process with an engine.
import type { Log } from '../domain/log.ts';
import { settledWithin } from '../platform/concurrency/settled-within.ts';

/** Longer than the deadlines of the database allow a run to take. A run that takes longer is abandoned. */
const RUN_WITHIN_MS = 20_000;

/**
 * Runs `work` at this interval, one run at a time. Failures are logged and the next run still happens. A run that never settles is
 * abandoned.
 * @returns a function that stops the interval and waits for the run in progress.
 */
export function every(
  intervalMs: number,
  work: () => Promise<unknown>,
  log: Log,
  runWithinMs = RUN_WITHIN_MS,
): () => Promise<void> {
  let inProgress: Promise<unknown> | null = null;
  const run = async (): Promise<void> => {
    const ended = work().catch((error: unknown) =>
      log.error({ code: 'outbox.recurring_failed', error }, 'recurring work failed'),
    );
    if (!(await settledWithin(runWithinMs, ended)))
      log.error(
        { code: 'outbox.recurring_overdue', runWithinMs },
        'recurring work did not end in time and is no longer waited for',
      );
    inProgress = null;
  };
  const timer = setInterval(() => {
    inProgress ??= run();
  }, intervalMs);
  return async () => {
    clearInterval(timer);
    await inProgress;
  };
}
