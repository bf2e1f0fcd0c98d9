// The lifecycle of a PIX payment. The states are in the order of the successful path.
import { assign, setup } from 'xstate';
import type { Currency, HomeCurrency } from '../src/domain/currency.ts';
import type { FailureCode } from '../src/domain/failure-reasons.ts';
import type { PayoutFailure } from '../src/domain/payout-failures.ts';
import type { ConversionLeg } from './effects.ts';
import type { StateTag } from './tags.ts';

export type PixPaymentContext = {
  /** One conversion (home currency to BRL), or two through USDC. Fixed when the quote is created. */
  flow: 'direct' | 'two_hop';
  /** The price quoted to the user, including the spread, in minor units of the home currency. It is the maximum debit. */
  quotedSourceMinor: number;
  /** The amount that the merchant must receive, in centavos. */
  amountBrlMinor: number;
  /**
   * The amount that the direct conversion or leg 1 debited from the home account, in minor units. A refund restores exactly this
   * amount. Null until the debit, and in rows whose direct conversion an earlier version recorded.
   */
  homeDebitMinor: number | null;
  /** The amount that leg 1 delivered, in USDC minor units (6 decimal places). */
  usdcDeliveredMinor: number | null;
  /** The USDC that leg 2 or the reverse leg left over, in minor units. It is the service's margin. */
  usdcResidualMinor: number | null;
  /** The BRL that a return left over, in centavos. It is the service's margin. */
  brlResidualMinor: number | null;
  /** The highest price of a return that the company bears, in basis points of the market's price. Null unless a return began. */
  returnCapBps: number | null;
  /** The number of the current or last payout attempt, as the provider counts them. Refused attempts do not count. */
  payoutAttempt: number;
  endToEndId: string | null;
  voucherId: string | null;
  failure: FailureCode | null;
  /** Why the last attempt at the payout failed. Null unless the payout has failed and the provider said why. */
  payoutFailure: PayoutFailure | null;
  /** The operator's settlement with the user outside the service. Null until it is recorded. */
  settlement: Settlement | null;
};

/** A settlement made outside the service. The amount is in minor units of the currency. */
export type Settlement = { amountMinor: number; currency: HomeCurrency | 'BRL'; at: Date };

type Delivered = { sourceAmountMinor: number; destinationAmountMinor: number };
type Failed = { reason: FailureCode };
/** The payout's amount as reported by the provider, in minor units. It must be the requested amount. */
type Paid = { amountMinor: number; currency: Currency };

export type PixPaymentEvent =
  | { type: 'confirmed' }
  /** The payment was found at the provider after its row was lost. An operator has to finish it. */
  | { type: 'adopted' }
  | ({ type: 'direct.completed' } & Delivered)
  | ({ type: 'direct.failed' } & Failed)
  | ({ type: 'leg1.completed' } & Delivered)
  | ({ type: 'leg1.failed' } & Failed)
  | ({ type: 'leg2.completed' } & Delivered)
  | ({ type: 'leg2.failed' } & Failed)
  | ({ type: 'reverse.completed' } & Delivered)
  | ({ type: 'reverse.failed' } & Failed)
  /** An operator converts the BRL of a failed payout back. `homeDebitMinor` is the debit to restore. */
  | { type: 'return.requested'; homeDebitMinor: number; capBps: number }
  | ({ type: 'return.completed' } & Delivered)
  | ({ type: 'return.failed' } & Failed)
  | ({ type: 'off-ramp.completed'; endToEndId: string | null; voucherId: string | null } & Paid)
  | ({
      type: 'off-ramp.failed';
      attempt: number;
      attempted: true;
      /** Left out if the provider does not say why. */
      payoutFailure?: PayoutFailure;
    } & Failed &
      Paid)
  /** The provider refused this attempt: it created nothing. */
  | ({
      type: 'off-ramp.failed';
      attempt: number;
      attempted: false;
      /** Left out unless the provider refused the code that the payment pays, and says why. */
      payoutFailure?: PayoutFailure;
    } & Failed)
  | ({ type: 'off-ramp.refunded' } & Paid)
  | { type: 'retry' }
  /** An operator has decided the outcome, because the provider's object vanished or differs from what we requested. */
  | { type: 'reviewed.completed' }
  | { type: 'reviewed.manual_review' }
  /** Two operators have recorded what was settled with the user outside the service. */
  | ({ type: 'settled' } & Settlement);

export type PixPaymentInput = Pick<PixPaymentContext, 'flow' | 'quotedSourceMinor' | 'amountBrlMinor'>;

const isWithinQuote = (context: PixPaymentContext, event: PixPaymentEvent): boolean =>
  'sourceAmountMinor' in event && event.sourceAmountMinor <= context.quotedSourceMinor;
const isExactBrl = (context: PixPaymentContext, event: PixPaymentEvent): boolean =>
  'destinationAmountMinor' in event && event.destinationAmountMinor === context.amountBrlMinor;
const isExactDebit = (context: PixPaymentContext, event: PixPaymentEvent): boolean =>
  'destinationAmountMinor' in event && event.destinationAmountMinor === context.homeDebitMinor;
const isExactPayout = (context: PixPaymentContext, event: PixPaymentEvent): boolean =>
  'amountMinor' in event && event.amountMinor === context.amountBrlMinor && event.currency === 'BRL';
/** Returns whether a refund converts the BRL of a failed payout back. Otherwise it reverses the USDC of leg 1. */
const isReturn = ({ returnCapBps }: PixPaymentContext): boolean => returnCapBps !== null;

const noFailure = { failure: null, payoutFailure: null };

const { createMachine } = setup({
  types: {
    context: {} as PixPaymentContext,
    events: {} as PixPaymentEvent,
    input: {} as PixPaymentInput,
    tags: {} as StateTag,
  },
  actions: {
    // Effects. They are emitted here, and the worker runs them after the new state is committed.
    startConversion: (_action, _params: { leg: ConversionLeg }) => undefined,
    startPayout: () => undefined,
    // Assignments of an event's figures to the context.
    recordHomeDebit: assign(({ event }) =>
      'sourceAmountMinor' in event ? { homeDebitMinor: event.sourceAmountMinor } : {},
    ),
    recordLeg1: assign(({ event }) =>
      'sourceAmountMinor' in event
        ? { homeDebitMinor: event.sourceAmountMinor, usdcDeliveredMinor: event.destinationAmountMinor }
        : {},
    ),
    recordResidual: assign(({ context, event }) =>
      'sourceAmountMinor' in event && context.usdcDeliveredMinor !== null
        ? { usdcResidualMinor: context.usdcDeliveredMinor - event.sourceAmountMinor }
        : {},
    ),
    beginReturn: assign(({ event }) =>
      'capBps' in event
        ? { homeDebitMinor: event.homeDebitMinor, returnCapBps: event.capBps, ...noFailure }
        : {},
    ),
    recordBrlResidual: assign(({ context, event }) =>
      'sourceAmountMinor' in event
        ? { brlResidualMinor: context.amountBrlMinor - event.sourceAmountMinor }
        : {},
    ),
    recordSettlement: assign(({ event }) =>
      event.type === 'settled'
        ? { settlement: { amountMinor: event.amountMinor, currency: event.currency, at: event.at } }
        : {},
    ),
    recordReceipt: assign(({ event }) =>
      'endToEndId' in event ? { endToEndId: event.endToEndId, voucherId: event.voucherId, ...noFailure } : {},
    ),
    recordReason: assign(({ event }) => ('reason' in event ? { failure: event.reason } : {})),
    recordPayoutFailure: assign(({ event }) => ({
      payoutFailure: ('payoutFailure' in event && event.payoutFailure) || null,
    })),
    forgetFailure: assign(noFailure),
    recordFailure: assign((_action, { failure }: { failure: FailureCode }) => ({ ...noFailure, failure })),
    // Attempts have the provider's numbers. A refused attempt does not exist there, so it does not count.
    beginAttempt: assign(({ context }) => ({
      payoutAttempt: context.payoutAttempt + 1,
      ...noFailure,
    })),
    endAttempt: assign(({ event }) =>
      'attempted' in event ? { payoutAttempt: event.attempted ? event.attempt : event.attempt - 1 } : {},
    ),
  },
  guards: {
    isTwoHop: ({ context }) => context.flow === 'two_hop',
    // The user agreed to the quoted debit at most. A smaller debit is the provider's loss.
    debitedAsQuoted: ({ context, event }) => isWithinQuote(context, event),
    convertedAsQuoted: ({ context, event }) => isWithinQuote(context, event) && isExactBrl(context, event),
    deliveredExactBrl: ({ context, event }) => isExactBrl(context, event),
    restoredExactDebit: ({ context, event }) => !isReturn(context) && isExactDebit(context, event),
    // The debit is recorded, or the operator's command has read it from the conversion.
    debitIsKnown: ({ context, event }) =>
      'homeDebitMinor' in event &&
      (context.homeDebitMinor === null
        ? event.homeDebitMinor > 0 && event.homeDebitMinor <= context.quotedSourceMinor
        : event.homeDebitMinor === context.homeDebitMinor),
    isReversing: ({ context }) => !isReturn(context),
    returnedExactDebit: ({ context, event }) => isReturn(context) && isExactDebit(context, event),
    isReturning: ({ context }) => isReturn(context),
    paidExactlyAnyway: ({ context, event }) => isReturn(context) && isExactPayout(context, event),
    isNotSettled: ({ context, event }) =>
      context.settlement === null && 'amountMinor' in event && event.amountMinor > 0,
    // A report with another amount is not about the requested payout, so it is refused even if it reports the payout as paid.
    paidExactly: ({ context, event }) => isExactPayout(context, event),
    // A late report of an attempt that a retry has replaced says nothing about the current attempt.
    isPresentAttempt: ({ context, event }) =>
      'attempt' in event &&
      event.attempt >= context.payoutAttempt &&
      (!event.attempted || isExactPayout(context, event)),
  },
});

const needsSupport = { type: 'recordFailure', params: { failure: 'under_review' } } as const;
const wrongAmount = { type: 'recordFailure', params: { failure: 'amount_mismatch' } } as const;
const payoutReturned = { type: 'recordFailure', params: { failure: 'payout_returned' } } as const;
const returnedToUser = { type: 'recordFailure', params: { failure: 'refunded' } } as const;

export const pixPaymentMachine = createMachine({
  id: 'pixPayment',
  description: 'Pays a merchant in BRL out of a balance in the home currency.',
  // `input` is spread because xstate also creates an actor without input in each step: reading a property of it would throw.
  context: ({ input }) => ({
    ...input,
    homeDebitMinor: null,
    usdcDeliveredMinor: null,
    usdcResidualMinor: null,
    brlResidualMinor: null,
    returnCapBps: null,
    payoutAttempt: 0,
    endToEndId: null,
    voucherId: null,
    ...noFailure,
    settlement: null,
  }),
  initial: 'quoted',
  states: {
    quoted: {
      tags: 'unfinished',
      description: 'The user has a price. No money has been promised yet.',
      on: {
        confirmed: [{ guard: 'isTwoHop', target: 'converting.leg1' }, { target: 'converting.direct' }],
        // Data that was lost with the row cannot be rebuilt, so an operator finishes the payment.
        adopted: { target: 'manual_review', actions: needsSupport },
      },
    },

    converting: {
      tags: 'unfinished',
      description: "The home currency is being converted to BRL. The user's balance is reserved.",
      initial: 'direct',
      on: { 'reviewed.manual_review': { target: 'manual_review', actions: needsSupport } },
      states: {
        direct: {
          tags: 'fundsReserved',
          description: 'The home currency becomes BRL in one step.',
          entry: { type: 'startConversion', params: { leg: 'direct' } },
          on: {
            'direct.completed': [
              { guard: 'convertedAsQuoted', target: '#paying', actions: 'recordHomeDebit' },
              { target: '#manual_review', actions: ['recordHomeDebit', wrongAmount] },
            ],
            'direct.failed': { target: '#failed', actions: 'recordReason' },
          },
        },
        leg1: {
          tags: 'fundsReserved',
          description: "The home currency becomes USDC, in the user's own USDC account.",
          entry: { type: 'startConversion', params: { leg: 'leg1' } },
          on: {
            'leg1.completed': [
              { guard: 'debitedAsQuoted', target: 'leg2', actions: 'recordLeg1' },
              { target: '#manual_review', actions: ['recordLeg1', wrongAmount] },
            ],
            'leg1.failed': { target: '#failed', actions: 'recordReason' },
          },
        },
        leg2: {
          description: 'The USDC that leg 1 delivered becomes BRL.',
          entry: { type: 'startConversion', params: { leg: 'leg2' } },
          on: {
            'leg2.completed': [
              { guard: 'deliveredExactBrl', target: '#paying', actions: 'recordResidual' },
              { target: '#manual_review', actions: wrongAmount },
            ],
            'leg2.failed': {
              target: '#refunding',
              actions: { type: 'startConversion', params: { leg: 'reverse' } },
            },
          },
        },
      },
    },

    paying: {
      tags: 'unfinished',
      description:
        "The exact BRL is in the user's own BRL account. The payout sends it from there to the merchant.",
      id: 'paying',
      entry: ['beginAttempt', 'startPayout'],
      on: {
        'off-ramp.completed': { guard: 'paidExactly', target: 'completed', actions: 'recordReceipt' },
        'off-ramp.failed': {
          guard: 'isPresentAttempt',
          target: 'payout_failed',
          actions: ['endAttempt', 'recordReason', 'recordPayoutFailure'],
        },
        'off-ramp.refunded': { guard: 'paidExactly', target: 'manual_review', actions: payoutReturned },
        'reviewed.completed': { target: 'completed' },
        'reviewed.manual_review': { target: 'manual_review', actions: needsSupport },
      },
    },

    completed: {
      description: "The merchant has the money. Only a return by the merchant's bank can still change that.",
      on: { 'off-ramp.refunded': { guard: 'paidExactly', target: 'manual_review', actions: payoutReturned } },
    },

    payout_failed: {
      tags: ['unfinished', 'awaitsUser'],
      description:
        "The BRL stays in the user's own BRL account until the user retries or an operator returns it.",
      on: {
        retry: { target: 'paying' },
        'return.requested': {
          guard: 'debitIsKnown',
          target: 'refunding',
          actions: ['beginReturn', { type: 'startConversion', params: { leg: 'return' } }],
        },
        'off-ramp.completed': { guard: 'paidExactly', target: 'completed', actions: 'recordReceipt' },
        'off-ramp.refunded': { guard: 'paidExactly', target: 'manual_review', actions: payoutReturned },
        'reviewed.completed': { target: 'completed', actions: 'forgetFailure' },
        'reviewed.manual_review': { target: 'manual_review', actions: needsSupport },
      },
    },

    refunding: {
      tags: 'unfinished',
      description:
        'Leg 2 has failed, or an operator returns the BRL of a failed payout. The rest is converted back to the home currency, to the exact debit.',
      id: 'refunding',
      on: {
        'reverse.completed': [
          { guard: 'restoredExactDebit', target: 'refunded', actions: ['recordResidual', returnedToUser] },
          { guard: 'isReversing', target: 'manual_review', actions: needsSupport },
        ],
        'reverse.failed': { guard: 'isReversing', target: 'manual_review', actions: needsSupport },
        // Leg 2 was given up but has completed after all. The reverse leg may also complete, so an operator decides.
        'leg2.completed': { guard: 'isReversing', target: 'manual_review', actions: needsSupport },
        'return.completed': [
          { guard: 'returnedExactDebit', target: 'refunded', actions: ['recordBrlResidual', returnedToUser] },
          { guard: 'isReturning', target: 'manual_review', actions: needsSupport },
        ],
        'return.failed': { guard: 'isReturning', target: 'manual_review', actions: needsSupport },
        // The payout failed, and reached the merchant after all. The return may also complete, so an operator decides.
        'off-ramp.completed': {
          guard: 'paidExactlyAnyway',
          target: 'manual_review',
          actions: ['recordReceipt', needsSupport],
        },
        'off-ramp.refunded': { guard: 'paidExactlyAnyway', target: 'manual_review', actions: payoutReturned },
        'reviewed.manual_review': { target: 'manual_review', actions: needsSupport },
      },
    },

    refunded: { description: 'The exact debit is back in the home account.' },

    manual_review: {
      tags: ['unfinished', 'needsSupport'],
      id: 'manual_review',
      description:
        'The outcome is not what was promised. No money moves. Operators settle it with the user outside the service and record that.',
      on: { settled: { guard: 'isNotSettled', actions: 'recordSettlement' } },
    },

    failed: {
      id: 'failed',
      description: 'The conversion never happened: the home balance is what it was before.',
    },

    conversion_failed: { description: 'Part of the contract only; no transition leads here.' },
  },
});
