// Refuses new payments while accepted payments wait too long. A refused payment has reserved nothing, and its quote can be used again.

import type { Log } from '../domain/log.ts';
import { Refusal } from '../domain/refusals.ts';
import { type PaymentWaits, typeOf } from './payment-waits.ts';
import { rememberFor } from './remember-for.ts';

/** If a step of accepted payments waits longer than this, users with many unfinished payments are refused another one. */
const BUSY_AFTER_MS = 300;
/** If a step of accepted payments waits longer than this, all users are refused. A payment has four steps that may wait. */
const FULL_AFTER_MS = 600;
/** Refusing ends when the wait is below this fraction of its limit, so that it does not start and end with each reading. */
const ENDS_AT = 0.5;
/** Maximum number of payments in `converting` or `paying` per user while accepted payments wait. */
const MAX_UNFINISHED = 10;
/** If one of these circuits to the provider is open, no conversion begins. */
const CONVERTING: ReadonlySet<string> = new Set(['createInternalTransfer', 'all']);
/** How long a reading of the waits is reused, so that many confirmations share one. */
const KNOWN_FOR_MS = 500;

export type Overload = {
  /**
   * Checks that a new payment may be accepted.
   * @param unfinished counts the user's payments in `converting` or `paying`. It is called only while accepted payments wait.
   * @throws Refusal `too_many_unfinished` for a user with many unfinished payments, or `overloaded` for any user if the waits are longer.
   */
  assertAccepts: (unfinished: () => Promise<number>) => Promise<void>;
  /** Returns whether a new payment's conversion could not start, because the provider does not answer. */
  areConversionsHeldUp: () => Promise<boolean>;
  /** The waits, from the last reading. */
  waits: () => Promise<PaymentWaits>;
};

export type OverloadOptions = {
  read: () => Promise<PaymentWaits>;
  refused: () => void;
  log: Log;
};

export function createOverload({ read, refused, log }: OverloadOptions): Overload {
  let [isBusy, isFull] = [false, false];
  const waits = rememberFor(KNOWN_FOR_MS, async () => {
    const present = await read();
    const wasBusy = isBusy;
    const wasFull = isFull;
    const longestMs = Math.max(present.conversionMs, present.payoutMs, present.reportMs);
    const isBeyond = (limitMs: number, was: boolean): boolean =>
      longestMs > (was ? limitMs * ENDS_AT : limitMs);
    isBusy = isBeyond(BUSY_AFTER_MS, isBusy);
    isFull = isBeyond(FULL_AFTER_MS, isFull);
    if (isBusy && !wasBusy)
      log.warn(
        { code: 'overload.began', ...present },
        'accepted payments wait: new payments of users with many unfinished ones are refused',
      );
    if (isFull && !wasFull)
      log.warn(
        { code: 'overload.refuses_all', ...present },
        'accepted payments wait too long: new ones are refused from now on',
      );
    if (wasBusy && !isBusy)
      log.info({ code: 'overload.ended', ...present }, 'new payments are accepted again');
    return present;
  });
  return {
    waits,
    areConversionsHeldUp: async () => {
      const { conversionMs, heldUp } = await waits();
      const areSlotsTaken = heldUp.includes(typeOf.conversion) && conversionMs > FULL_AFTER_MS;
      return areSlotsTaken || heldUp.some((one) => CONVERTING.has(one));
    },
    assertAccepts: async (unfinished) => {
      await waits();
      if (!isBusy) return;
      const code = (await unfinished()) > MAX_UNFINISHED ? 'too_many_unfinished' : 'overloaded';
      if (code === 'overloaded' && !isFull) return;
      refused();
      throw new Refusal(code);
    },
  };
}
