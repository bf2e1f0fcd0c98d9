// Decides how a payment whose row was lost is rebuilt. If the events of its objects lead the machine to a final state or to
// `manual_review`, the payment gets that state. Otherwise it is adopted into `manual_review`, and an operator finishes it. A payment
// with a new id never emits effects: its handles would be new, and the merchant would be paid twice.
import type { ConversionLeg } from '../../machines/effects.ts';
import type { StateOf } from '../../machines/machines.ts';
import { type PixPaymentEvent, pixPaymentMachine } from '../../machines/pix-payment.machine.ts';
import { hasEnded } from '../../machines/states.ts';
import { begin, step } from '../../machines/step.ts';
import type { FailureCode } from '../../src/domain/failure-reasons.ts';
import { composeRates } from '../../src/domain/rates.ts';
import { eventOf } from '../../src/provider/events.ts';
import type { PayoutDetails, TransferDetails } from '../../src/provider/port.ts';
import { pixPaymentEvent } from '../../src/reports/subject.ts';
import { type PaymentParts, partsOf } from './group-orphans.ts';

/** The rebuilt price of a payment. Amounts are in minor units; the rate excludes the spread. */
export type Rebuilt = {
  flow: 'direct' | 'two_hop';
  amountBrlMinor: number;
  sourceAmountMinor: number;
  rate: string;
  quoteRef: string;
};

export type Plan =
  | { how: 'not'; why: string }
  /** The payment gets its original id and starts again. Its effects find everything that exists by its handles. */
  | { how: 'continue'; becomes: 'converting'; payment: Rebuilt }
  | { how: 'replay'; becomes: StateOf<'pix_payment'>; payment: Rebuilt; events: PixPaymentEvent[] }
  /** The merchant's amount is unknown, so only the customer's transaction is created, without a payment. */
  | { how: 'transaction'; becomes: 'failed'; failure: FailureCode; first: TransferDetails };

/** A return follows the payout. */
const legs = ['direct', 'leg1', 'leg2', 'reverse'] as const;

/**
 * Decides how a payment is rebuilt.
 * @param isOwnId whether the payment gets its original id.
 */
export function planOf(parts: PaymentParts, isOwnId: boolean): Plan {
  const first = parts.direct ?? parts.leg1;
  if (!first) return { how: 'not', why: 'its first conversion is not missing here' };
  const payment = rebuild(parts, first);
  // Only the payout names the recipient.
  if (isOwnId && payment && parts.payout) return { how: 'continue', becomes: 'converting', payment };
  if (partsOf(parts).some(({ snapshot }) => snapshot.status === 'pending'))
    return { how: 'not', why: 'it is unfinished: adopt it after it has reached a final state' };
  if (!payment) return { how: 'transaction', becomes: 'failed', failure: failureOf(parts), first };

  const events: PixPaymentEvent[] = [{ type: 'confirmed' }, ...eventsOf(parts)];
  const end = endOf(payment, events);
  if (end !== null && hasEnded('pix_payment', end)) return { how: 'replay', becomes: end, payment, events };
  return { how: 'replay', becomes: 'manual_review', payment, events: [{ type: 'adopted' }] };
}

function rebuild({ direct, leg1, leg2 }: PaymentParts, first: TransferDetails): Rebuilt | null {
  const last = direct ?? leg2;
  if (!last) return null;
  return {
    flow: direct ? 'direct' : 'two_hop',
    amountBrlMinor: last.snapshot.destinationAmountMinor,
    sourceAmountMinor: first.snapshot.sourceAmountMinor,
    rate: leg1 && leg2 ? composeRates(leg1.snapshot.rate, leg2.snapshot.rate) : first.snapshot.rate,
    quoteRef: first.quoteRef,
  };
}

/** Returns what the objects of a payment mean to its machine, in the order of a payment. */
function eventsOf({ payout, return: back, ...conversions }: PaymentParts): PixPaymentEvent[] {
  const events: (PixPaymentEvent | null)[] = [
    ...legs.map((leg) => meaningOf(conversions[leg], leg)),
    meaningOf(payout, null),
    // The operator's request, which had restored the debit that the conversion back names.
    back
      ? { type: 'return.requested', homeDebitMinor: back.snapshot.destinationAmountMinor, capBps: 0 }
      : null,
    meaningOf(back, 'return'),
  ];
  return events.filter((event) => event !== null);
}

function meaningOf(
  part: TransferDetails | PayoutDetails | undefined,
  leg: Exclude<ConversionLeg, 'partial'> | null,
): PixPaymentEvent | null {
  const event = part ? eventOf(part.snapshot) : null;
  return event && pixPaymentEvent(event, leg);
}

/** Returns the state that the events lead to, or null if the machine refuses one of them. */
function endOf(
  { flow, sourceAmountMinor, amountBrlMinor }: Rebuilt,
  events: PixPaymentEvent[],
): StateOf<'pix_payment'> | null {
  let here = begin(pixPaymentMachine, { flow, quotedSourceMinor: sourceAmountMinor, amountBrlMinor });
  for (const event of events) {
    const next = step(pixPaymentMachine, here.state, here.context, event);
    if (next === null) return null;
    here = next;
  }
  return here.state;
}

function failureOf({ leg1, reverse }: PaymentParts): FailureCode {
  if (leg1?.snapshot.status === 'failed') return 'conversion_failed';
  const isWhole =
    reverse?.snapshot.status === 'completed' &&
    reverse.snapshot.destinationAmountMinor === leg1?.snapshot.sourceAmountMinor;
  return isWhole ? 'refunded' : 'under_review';
}
