// Refuses new payments while more are offered than can be carried out in time. A payment that is accepted then would wait for longer
// than its quote lives, and fail; one that is refused has reserved nothing, and can be repeated with the same quote.
import { Refusal } from '../domain/refusals.ts';
import type { Log } from '../logging/log.ts';
import { rememberFor } from '../time/remember-for.ts';
import type { PaymentWaits } from './payment-waits.ts';

/** A small part of the minute for which a quote lives. */
const CONVERSION_WAIT_LIMIT_MS = 5_000;
/** Nothing expires meanwhile, so it is longer: a payment whose conversion is done only ends later. */
const REPORT_WAIT_LIMIT_MS = 30_000;
/** However many payments are confirmed, the waits are read once in so long. */
const KNOWN_FOR_MS = 1_000;

export type Overload = {
  /** @throws Refusal `overloaded` */
  assertNone: () => Promise<void>;
  /** As they were read a second ago at most. */
  waits: () => Promise<PaymentWaits>;
};

export type OverloadOptions = {
  read: () => Promise<PaymentWaits>;
  /** Called for each payment that is refused. */
  refused: () => void;
  log: Log;
};

export function createOverload({ read, refused, log }: OverloadOptions): Overload {
  let isOverloaded = false;
  const waits = rememberFor(KNOWN_FOR_MS, async () => {
    const present = await read();
    const before = isOverloaded;
    isOverloaded = present.conversionMs > CONVERSION_WAIT_LIMIT_MS || present.reportMs > REPORT_WAIT_LIMIT_MS;
    if (isOverloaded && !before)
      log.warn(
        { code: 'overload.began', ...present },
        'payments wait too long: new ones are refused from now on',
      );
    if (before && !isOverloaded)
      log.info({ code: 'overload.ended', ...present }, 'new payments are accepted again');
    return present;
  });
  return {
    waits,
    assertNone: async () => {
      await waits();
      if (!isOverloaded) return;
      refused();
      throw new Refusal('overloaded');
    },
  };
}
