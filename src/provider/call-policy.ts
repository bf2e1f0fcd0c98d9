// Executes a call to the provider: only while the operation is available, in its own slot, and within the time limits of its
// priority. A call that is rejected here was never sent, so its outcome is certain: nothing happened.
import { setTimeout as pause } from 'node:timers/promises';
import type { Rejection } from '../platform/concurrency/shares.ts';
import { createAvailability } from './availability.ts';
import type { CallObserver } from './call-observer.ts';
import { type CallStats, createCallShares } from './call-shares.ts';
import type { Caller, Priority, WhileCalling } from './caller.ts';
import { isUnsent, notSent, OutcomeUnknown } from './errors.ts';
import type { Probe } from './outage.ts';

/** A background call that is not sent within this time is rejected. */
const SEND_DEADLINE_MS = 5_000;
/**
 * The longest `Retry-After` that a call waits for. It is the same for both priorities: a background call that came back later would
 * find the provider's capacity used up by interactive calls.
 */
const RETRY_AFTER_PATIENCE_MS = 2_000;
const READ_AGAIN_AFTER_MS = 250;

type CallPolicy = {
  /** A call that is not sent within this time is rejected. */
  sendDeadlineMs: number;
  timeoutMs: number;
  /** The time limit of the whole call, including the wait for its slot. */
  budgetMs: number;
  /** The maximum number of attempts of a read whose failure may be temporary. */
  readAttempts: number;
};

/**
 * Returns the policy of each priority. A user waits for an interactive call, so it has less time. A background call is sent once,
 * because its work is retried anyway.
 */
const policiesFor = ({ timeoutMs, interactiveWaitMs, interactiveTimeoutMs }: CallOptions): Policies => {
  const patienceMs = Math.min(timeoutMs, interactiveTimeoutMs);
  return {
    interactive: policyOf(interactiveWaitMs, patienceMs, 2),
    background: policyOf(SEND_DEADLINE_MS, timeoutMs, 1),
  };
};

type Policies = Record<Priority, CallPolicy>;

const policyOf = (sendDeadlineMs: number, timeoutMs: number, readAttempts: number): CallPolicy => ({
  sendDeadlineMs,
  timeoutMs,
  budgetMs: sendDeadlineMs + timeoutMs,
  readAttempts,
});

export type CallOptions = {
  concurrency: number;
  timeoutMs: number;
  /** How long a call that a user waits for may wait for a slot, and then for its answer, in milliseconds. */
  interactiveWaitMs: number;
  interactiveTimeoutMs: number;
  observer: CallObserver;
};

/** A call to execute. `compartment`: see call-shares.ts. `isRead`: the call has no effect, so it may be sent repeatedly. */
export type ProviderCall = { operation: string; compartment: string; isRead: boolean };

export type CallExecutor = {
  /**
   * Executes a call when the policy of its caller's priority allows it.
   * @param send makes the call. Its argument is the time limit of the call, in milliseconds.
   * @throws OutcomeUnknown (unsent) if the call may not be sent, or the error of `send`.
   */
  execute: <Reply>(
    caller: Caller,
    call: ProviderCall,
    send: (withinMs: number) => Promise<Reply>,
  ) => Promise<Reply>;
  stats: () => CallStats;
  /** The compartments whose circuits are open, and `all` if the whole provider is unreachable. */
  openCircuits: () => string[];
  /** The open circuits without the ones whose next trial is due. */
  failing: () => string[];
  /** How long a `Retry-After` still blocks calls of this operation, in milliseconds. */
  retryAfterMs: (operation: string) => number;
  close: () => void;
};

export function createCallExecutor(options: CallOptions, probe: Probe): CallExecutor {
  const { concurrency, observer } = options;
  const policies = policiesFor(options);
  const shares = createCallShares(concurrency);
  const availability = createAvailability({ probe, timeoutMs: options.timeoutMs, observer });

  const execute: CallExecutor['execute'] = async (caller, call, send) => {
    const { operation, compartment, isRead } = call;
    const { whileCalling = unnoticed } = caller;
    const { sendDeadlineMs, timeoutMs, budgetMs, readAttempts } = policies[caller.priority];
    const madeAt = performance.now();
    const elapsedMs = (): number => performance.now() - madeAt;
    const toSendMs = (): number => Math.max(0, sendDeadlineMs - elapsedMs());
    const assertAvailable = (): Promise<void> =>
      availability.assertAvailable(call, Math.min(RETRY_AFTER_PATIENCE_MS, toSendMs()));

    const attempt = async () => {
      const isTrial = availability.isOpen(compartment);
      await assertAvailable();
      const slot = await shares.acquire({ ...caller, compartment }, toSendMs());
      if (typeof slot === 'string') throw notSent(operation, reasons[slot]);
      try {
        // The operation may have become unavailable while the call was queued. A trial of an open circuit was allowed above.
        if (!isTrial) await assertAvailable();
        if (toSendMs() === 0) throw notSent(operation, reasons.timed_out);
        const withinMs = Math.ceil(Math.min(timeoutMs, budgetMs - elapsedMs()));
        return await availability.record(call, () => send(withinMs));
      } finally {
        slot();
      }
    };

    return whileCalling(async () => {
      for (let remaining = isRead ? readAttempts : 1; ; remaining -= 1) {
        try {
          return await attempt();
        } catch (error) {
          if (isUnsent(error)) observer.called(operation, 'not_sent', 0);
          const isWorthwhile = remaining > 1 && mayPass(error) && toSendMs() > READ_AGAIN_AFTER_MS;
          if (!isWorthwhile) throw error;
          await pause(READ_AGAIN_AFTER_MS);
        }
      }
    });
  };

  return {
    execute,
    stats: shares.stats,
    openCircuits: availability.openCircuits,
    failing: availability.failing,
    retryAfterMs: availability.retryAfterMs,
    close: () => {
      shares.close();
      availability.close();
    },
  };
}

const unnoticed: WhileCalling = (call) => call();

const reasons: Record<Rejection, string> = {
  timed_out: 'no slot became free in time',
  aborted: 'the caller no longer waits for it',
  queue_full: 'too many calls of this user are queued',
  closed: 'the process is stopping',
};

/** Whether a failed read may succeed if it is sent again: it was not answered, or answered with 429 or a 5xx. */
const mayPass = (error: unknown): boolean =>
  error instanceof OutcomeUnknown &&
  error.sent &&
  (error.status === null || error.status === 429 || error.status >= 500);
