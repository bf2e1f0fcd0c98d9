// Refuses new payments while accepted ones wait for too long. One that is accepted then would wait as well; one that is refused has
// reserved nothing, and can be repeated with the same quote.
import { Refusal } from '../domain/refusals.ts';
import type { Log } from '../logging/log.ts';
import { rememberFor } from '../time/remember-for.ts';
import type { PaymentWaits } from './payment-waits.ts';

/** While a step of accepted payments waits for longer, a person with many unfinished payments is refused another one. */
const BUSY_AFTER_MS = 300;
/** While it waits for longer than this, everybody is. A payment has four steps that may wait. */
const FULL_AFTER_MS = 600;
/** Either ends when the wait is shorter than this share of its limit, so that it does not begin and end with each reading. */
const ENDS_AT = 0.5;
/** Payments in `converting` or `paying` that one person may have while accepted payments wait. */
const MOST_UNFINISHED = 10;
/** However many payments are confirmed, the waits are read once in so long. */
const KNOWN_FOR_MS = 500;

export type Overload = {
  /**
   * @param unfinished counts the person's payments in `converting` or `paying`; called only while accepted payments wait.
   * @throws Refusal `too_many_unfinished` for a person who has many; `overloaded` for everybody, when they wait for longer still.
   */
  assertAccepts: (unfinished: () => Promise<number>) => Promise<void>;
  /** As they were read a moment ago. */
  waits: () => Promise<PaymentWaits>;
};

export type OverloadOptions = {
  read: () => Promise<PaymentWaits>;
  /** Called for each payment that is refused. */
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
        'accepted payments wait: people with many unfinished ones are refused more',
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
    assertAccepts: async (unfinished) => {
      await waits();
      if (!isBusy) return;
      const code = (await unfinished()) > MOST_UNFINISHED ? 'too_many_unfinished' : 'overloaded';
      if (code === 'overloaded' && !isFull) return;
      refused();
      throw new Refusal(code);
    },
  };
}
