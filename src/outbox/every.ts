// Work that recurs for as long as the process carries out work.
import type { App } from '../app.ts';
import { settledWithin } from '../time/settled-within.ts';

/** Longer than the database's deadlines let any of it take: what is not done by then is not waited for. */
const TURN_WITHIN_MS = 20_000;

export type Recurring = { stop: () => Promise<void> };

/**
 * Runs `work` again and again, one turn at a time; a failure is logged and the next turn comes all the same. A turn that
 * does not come to an end is left to itself.
 */
export function every(
  intervalMs: number,
  work: () => Promise<void>,
  { log }: Pick<App, 'log'>,
  turnWithinMs = TURN_WITHIN_MS,
): Recurring {
  let inHand: Promise<void> | null = null;
  const turn = async (): Promise<void> => {
    const worked = work().catch((error: unknown) =>
      log.error({ code: 'outbox.recurring_failed', error }, 'recurring work failed'),
    );
    if (!(await settledWithin(turnWithinMs, worked)))
      log.error(
        { code: 'outbox.recurring_overdue', turnWithinMs },
        'recurring work did not end in time and is no longer waited for',
      );
    inHand = null;
  };
  const timer = setInterval(() => {
    inHand ??= turn();
  }, intervalMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await inHand;
    },
  };
}
