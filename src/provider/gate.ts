// What every call passes on its way to the provider: whether there is any use in asking, and whose turn it is. A call that
// is turned away was never sent, so nobody has to wonder what became of it.
import { setTimeout as pause } from 'node:timers/promises';
import type { CallObserver } from './call-observer.ts';
import { currentPriority } from './call-priority.ts';
import { isUnsent, OutcomeUnknown } from './errors.ts';
import { createReach, turnedAway } from './reach.ts';
import { createTurns, type Load } from './turns.ts';

/** A call of the worker's is sent within so long, in milliseconds, or never; then it has a whole call's time. */
const SENT_WITHIN_MS = 5_000;
/**
 * Everybody waits so long at most until a provider that wants to be left alone may be asked again, and so has the same
 * chance when it may: work that came back for it later would find that people had been there first, and it was shut again.
 */
const WAIT_MS = 2_000;
const READ_AGAIN_AFTER_MS = 250;

export type GateOptions = {
  /** How many calls may be under way at once. */
  concurrency: number;
  /** How long one call may take, in milliseconds; for a person, the wait for its turn is part of it. */
  timeoutMs: number;
  watch: CallObserver;
};

export type GateState = { load: Load; limit: number; isOpen: boolean; aloneForMs: number };

export type Gate = {
  /**
   * Sends when it may.
   * @param isRead whether asking again does no harm: a person's call that failed is then repeated once, in its own time.
   * @param send makes the call, which may take so long, in milliseconds.
   * @throws OutcomeUnknown, unsent, when it may not.
   */
  pass: <Reply>(
    operation: string,
    isRead: boolean,
    send: (withinMs: number) => Promise<Reply>,
  ) => Promise<Reply>;
  state: () => GateState;
  close: () => void;
};

/** @param look asks the provider something cheap, to find out whether it can be reached again. */
export function createGate(
  { concurrency, timeoutMs, watch }: GateOptions,
  look: (withinMs: number) => Promise<unknown>,
): Gate {
  const turns = createTurns(concurrency);
  const reach = createReach({ look: () => look(timeoutMs), timeoutMs, watch });
  /** With less time than this, a failure would say nothing about the provider. */
  const leastMs = timeoutMs / 4;

  return {
    pass: async (operation, isRead, send) => {
      const priority = currentPriority();
      const endsAt = performance.now() + timeoutMs;
      const leftMs = (): number => Math.ceil(endsAt - performance.now());

      const patienceMs = (): number =>
        priority === 'background' ? WAIT_MS : Math.min(WAIT_MS, Math.max(0, leftMs() - leastMs));

      const once = async () => {
        const lastSentAt = performance.now() + SENT_WITHIN_MS;
        const wasOpen = reach.isOpen();
        await reach.assertOfUse(operation, patienceMs());
        const end = await turns.take(
          priority,
          priority === 'background' ? lastSentAt - performance.now() : leftMs(),
        );
        if (end === null) throw turnedAway(operation, 'its turn did not come in time');
        try {
          // Things may have got worse while it waited.
          if (!wasOpen) await reach.assertOfUse(operation, patienceMs());
          const withinMs = priority === 'background' ? timeoutMs : leftMs();
          const isTooLate = priority === 'background' ? performance.now() > lastSentAt : withinMs < leastMs;
          if (isTooLate) throw turnedAway(operation, 'its turn came too late');
          return await reach.learnFrom(operation, () => send(withinMs));
        } finally {
          end();
        }
      };

      const onceMore = async (error: unknown) => {
        const isWorthwhile = priority === 'interactive' && isRead && mayPass(error);
        if (!isWorthwhile || leftMs() < leastMs + READ_AGAIN_AFTER_MS) throw error;
        await pause(READ_AGAIN_AFTER_MS);
        return once();
      };

      return once()
        .catch(onceMore)
        .catch((error: unknown) => {
          if (isUnsent(error)) watch.called(operation, 'not_sent', 0);
          throw error;
        });
    },
    state: () => ({
      load: turns.load(),
      limit: concurrency,
      isOpen: reach.isOpen(),
      aloneForMs: reach.aloneForMs(),
    }),
    close: () => {
      turns.close();
      reach.close();
    },
  };
}

/** Whether it is the kind of trouble that may be over in a moment. */
const mayPass = (error: unknown): boolean =>
  error instanceof OutcomeUnknown &&
  error.sent &&
  (error.status === null || error.status === 429 || error.status >= 500);
