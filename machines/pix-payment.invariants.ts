// The invariants of a PIX payment in each state. Later steps rely on them without checking again.
import type { Invariant, Invariants } from './invariants.ts';
import type { PixPaymentContext, pixPaymentMachine } from './pix-payment.machine.ts';

type Rule = Invariant<PixPaymentContext>;

const isDirect: Rule = { says: 'there is one conversion', holds: ({ flow }) => flow === 'direct' };
const isTwoHop: Rule = { says: 'there are two conversions', holds: ({ flow }) => flow === 'two_hop' };
const hasNotFailed: Rule = {
  says: 'nothing has failed',
  holds: ({ failure, payoutFailure }) => failure === null && payoutFailure === null,
};
const hasNoFailedPayout: Rule = {
  says: 'no payout waits for a retry',
  holds: ({ payoutFailure }) => payoutFailure === null,
};
const hasReason: Rule = {
  says: 'there is a reason to tell the user',
  holds: ({ failure }) => failure !== null,
};
const leg1IsToCome: Rule = {
  says: 'leg 1 has taken and delivered nothing',
  holds: ({ homeDebitMinor, usdcDeliveredMinor }) => homeDebitMinor === null && usdcDeliveredMinor === null,
};
const leg1IsKnown: Rule = {
  says: 'it is known what leg 1 took and delivered',
  holds: ({ homeDebitMinor, usdcDeliveredMinor }) => homeDebitMinor !== null && usdcDeliveredMinor !== null,
};
const leg1TookAsQuoted: Rule = {
  says: 'leg 1 took no more than was quoted',
  holds: ({ homeDebitMinor, quotedSourceMinor }) =>
    homeDebitMinor === null || homeDebitMinor <= quotedSourceMinor,
};
const debitIsKnown: Rule = {
  says: 'it is known what the home account was debited',
  holds: ({ homeDebitMinor }) => homeDebitMinor !== null,
};
const residualIsKnown: Rule = {
  says: 'it is known how much USDC is left over',
  holds: ({ usdcResidualMinor }) => usdcResidualMinor !== null,
};
const usdcIsAccounted: Rule = {
  says: 'of two conversions it is known what they took, delivered and left over',
  holds: (context) =>
    context.flow === 'direct' || (leg1IsKnown.holds(context) && residualIsKnown.holds(context)),
};
const wasNeverPaidOut: Rule = {
  says: 'no payout has been attempted',
  holds: ({ payoutAttempt }) => payoutAttempt === 0,
};
const isBeingPaidOut: Rule = {
  says: 'the attempt is 1 or a later one',
  holds: ({ payoutAttempt }) => payoutAttempt >= 1,
};
const wasReversedUnpaid: Rule = {
  says: 'without a return, leg 1 is reversed and no payout was attempted',
  holds: (context) =>
    context.returnCapBps !== null ||
    [isTwoHop, leg1IsKnown, wasNeverPaidOut].every((rule) => rule.holds(context)),
};
const returnsDeliveredBrl: Rule = {
  says: 'a return follows a conversion that delivered the BRL',
  holds: ({ returnCapBps, flow, usdcResidualMinor }) =>
    returnCapBps === null || flow === 'direct' || usdcResidualMinor !== null,
};
const leftoverIsKnown: Rule = {
  says: 'it is known how much USDC or BRL is left over',
  holds: ({ returnCapBps, usdcResidualMinor, brlResidualMinor }) =>
    returnCapBps === null ? usdcResidualMinor !== null : brlResidualMinor !== null,
};
const isNeverEntered: Rule = { says: 'nothing leads here', holds: () => false };

export const pixPaymentInvariants: Invariants<typeof pixPaymentMachine> = {
  quoted: [leg1IsToCome, wasNeverPaidOut, hasNotFailed],
  'converting.direct': [isDirect, wasNeverPaidOut, hasNotFailed],
  'converting.leg1': [isTwoHop, leg1IsToCome, wasNeverPaidOut, hasNotFailed],
  'converting.leg2': [isTwoHop, leg1IsKnown, leg1TookAsQuoted, wasNeverPaidOut, hasNotFailed],
  paying: [isBeingPaidOut, usdcIsAccounted, hasNotFailed],
  // `payoutAttempt` may be 0 here: an attempt that the provider refused is not counted, but it may have been executed after all.
  completed: [usdcIsAccounted, hasNotFailed],
  payout_failed: [usdcIsAccounted, hasReason],
  refunding: [debitIsKnown, wasReversedUnpaid, returnsDeliveredBrl, hasNoFailedPayout],
  refunded: [
    debitIsKnown,
    wasReversedUnpaid,
    returnsDeliveredBrl,
    leftoverIsKnown,
    hasReason,
    hasNoFailedPayout,
  ],
  manual_review: [hasReason, hasNoFailedPayout],
  failed: [leg1IsToCome, wasNeverPaidOut, hasReason, hasNoFailedPayout],
  conversion_failed: [isNeverEntered],
};
