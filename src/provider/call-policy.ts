// How a call to the provider is executed: only while the operation is available, in a slot of its own, within the
// limits of its priority. A call that is rejected here was never sent, so its outcome is certain: nothing happened.
import { setTimeout as pause } from 'node:timers/promises';
import type { Rejection } from '../fairness/shares.ts';
import { createAvailability, type Probe } from './availability.ts';
import type { CallObserver } from './call-observer.ts';
import { currentCaller, type Priority } from './call-priority.ts';
import { type CallStats, createCallShares } from './call-shares.ts';
import { isUnsent, notSent, OutcomeUnknown } from './errors.ts';

/** A background call is sent within this time or never. */
const SEND_DEADLINE_MS = 5_000;
/**
 * The longest `Retry-After` that a call waits out. It is the same for both priorities: a background call that came back
 * for it later would find the capacity used up by interactive calls.
 */
const RETRY_AFTER_PATIENCE_MS = 2_000;
const READ_AGAIN_AFTER_MS = 250;

type CallPolicy = {
  /** The call is sent within this time after it was made, or never. */
  sendDeadlineMs: number;
  /** The whole call, the wait for its slot included, ends within this time. */
  budgetMs: number;
  /** How often a read is sent that fails in a way which may pass. */
  readAttempts: number;
};

/**
 * A user waits for an interactive call no longer than a call may take; it is not sent when there is so little time left that
 * a failure would say nothing about the provider. A background call has a whole call's time from when it is sent, and its
 * work is repeated in any case.
 */
const policiesFor = (timeoutMs: number): Record<Priority, CallPolicy> => ({
  interactive: { sendDeadlineMs: 0.75 * timeoutMs, budgetMs: timeoutMs, readAttempts: 2 },
  background: { sendDeadlineMs: SEND_DEADLINE_MS, budgetMs: SEND_DEADLINE_MS + timeoutMs, readAttempts: 1 },
});

export type CallOptions = {
  /** How many calls may be in flight. */
  concurrency: number;
  /** How long one call may take, in milliseconds. */
  timeoutMs: number;
  observer: CallObserver;
};

/** `compartment`: see call-shares.ts. `isRead`: whether the call changes nothing, however often it is sent. */
export type Call = { operation: string; compartment: string; isRead: boolean };

export type CallExecutor = {
  /**
   * @param send makes the call, which may take so long, in milliseconds.
   * @throws OutcomeUnknown, unsent, when the call may not be sent.
   */
  execute: <Reply>(call: Call, send: (withinMs: number) => Promise<Reply>) => Promise<Reply>;
  stats: () => CallStats;
  isCircuitOpen: () => boolean;
  /** For how long `Retry-After` keeps calls of this operation back, in milliseconds. */
  retryAfterMs: (operation: string) => number;
  /** Rejects the calls that wait. */
  close: () => void;
};

export function createCallExecutor(
  { concurrency, timeoutMs, observer }: CallOptions,
  probe: Probe,
): CallExecutor {
  const policies = policiesFor(timeoutMs);
  const shares = createCallShares(concurrency);
  const availability = createAvailability({ probe, timeoutMs, observer });

  const execute: CallExecutor['execute'] = async ({ operation, compartment, isRead }, send) => {
    const caller = currentCaller();
    const { sendDeadlineMs, budgetMs, readAttempts } = policies[caller.priority];
    const madeAt = performance.now();
    const elapsedMs = (): number => performance.now() - madeAt;
    const toSendMs = (): number => Math.max(0, sendDeadlineMs - elapsedMs());
    const assertAvailable = (): Promise<void> =>
      availability.assertAvailable(operation, Math.min(RETRY_AFTER_PATIENCE_MS, toSendMs()));

    const attempt = async () => {
      const isTrial = availability.isCircuitOpen();
      await assertAvailable();
      const slot = await shares.acquire({ ...caller, compartment }, toSendMs());
      if (typeof slot === 'string') throw notSent(operation, reasons[slot]);
      try {
        // The provider may have become unavailable while the call waited. A trial of an open circuit has been allowed.
        if (!isTrial) await assertAvailable();
        if (toSendMs() === 0) throw notSent(operation, reasons.timed_out);
        const withinMs = Math.ceil(Math.min(timeoutMs, budgetMs - elapsedMs()));
        return await availability.record(operation, () => send(withinMs));
      } finally {
        slot();
      }
    };

    for (let left = isRead ? readAttempts : 1; ; left -= 1) {
      try {
        return await attempt();
      } catch (error) {
        const isWorthwhile = left > 1 && mayPass(error) && toSendMs() > READ_AGAIN_AFTER_MS;
        if (!isWorthwhile) throw error;
        await pause(READ_AGAIN_AFTER_MS);
      }
    }
  };

  return {
    execute: (call, send) =>
      execute(call, send).catch((error: unknown) => {
        if (isUnsent(error)) observer.called(call.operation, 'not_sent', 0);
        throw error;
      }),
    stats: shares.stats,
    isCircuitOpen: availability.isCircuitOpen,
    retryAfterMs: availability.retryAfterMs,
    close: () => {
      shares.close();
      availability.close();
    },
  };
}

const reasons: Record<Rejection, string> = {
  timed_out: 'no slot became free in time',
  aborted: 'nobody waits for it any more',
  queue_full: 'too many calls of this person wait',
  closed: 'the process stops',
};

/** Whether it is a failure that may be over in a moment. */
const mayPass = (error: unknown): boolean =>
  error instanceof OutcomeUnknown &&
  error.sent &&
  (error.status === null || error.status === 429 || error.status >= 500);
