// The lifecycle of a partial return: a part of a completed payment that came back to the user's BRL account. Nothing converts it
// automatically. The payment stays completed.
import { assign, setup } from 'xstate';
import type { ConversionLeg } from './effects.ts';
import type { StateTag } from './tags.ts';

export type PayoutRefundContext = {
  /** The amount that came back, in centavos. Its conversion takes exactly this amount. */
  amountBrlMinor: number;
  /** The number of the present or last conversion that exists at the provider. A refused one does not count. */
  attempt: number;
  /** The amount that the conversion credited to the home account, in minor units. Null until then. */
  homeCreditMinor: number | null;
};

export type PayoutRefundEvent =
  /** An operator converts the amount to the home currency. */
  | { type: 'conversion.requested' }
  | { type: 'partial.completed'; attempt: number; sourceAmountMinor: number; destinationAmountMinor: number }
  /** The conversion failed. `attempted` is false if the provider refused the request, which then created nothing. */
  | { type: 'partial.failed'; attempt: number; attempted: boolean }
  /** The payout has come back whole since, so operators settle the payment with all of its BRL. */
  | { type: 'payout.refunded' };

export type PayoutRefundInput = Pick<PayoutRefundContext, 'amountBrlMinor'>;

const { createMachine } = setup({
  types: {
    context: {} as PayoutRefundContext,
    events: {} as PayoutRefundEvent,
    input: {} as PayoutRefundInput,
    tags: {} as StateTag,
  },
  actions: {
    startConversion: (_action, _params: { leg: ConversionLeg }) => undefined,
    beginAttempt: assign(({ context }) => ({ attempt: context.attempt + 1 })),
    endAttempt: assign(({ context, event }) =>
      'attempted' in event && !event.attempted ? { attempt: context.attempt - 1 } : {},
    ),
    recordCredit: assign(({ event }) =>
      'destinationAmountMinor' in event
        ? { homeCreditMinor: event.destinationAmountMinor, attempt: event.attempt }
        : {},
    ),
  },
  guards: {
    // A late report of a conversion that another one has replaced says nothing about the present one.
    isPresentAttempt: ({ context, event }) => 'attempt' in event && event.attempt === context.attempt,
    isNewAttempt: ({ context, event }) => 'attempt' in event && event.attempt > context.attempt,
  },
});

export const payoutRefundMachine = createMachine({
  id: 'payoutRefund',
  description: "A part of a completed payment that came back to the user's BRL account.",
  // `input` is spread because xstate also creates an actor without input in each step: reading a property of it would throw.
  context: ({ input }) => ({ ...input, attempt: 0, homeCreditMinor: null }),
  initial: 'waiting',
  states: {
    waiting: {
      tags: ['unfinished', 'needsSupport'],
      description: "The BRL is in the user's own BRL account until an operator converts it.",
      on: {
        'conversion.requested': 'converting',
        // The provider executed a request after its refusal had counted as final.
        'partial.completed': { guard: 'isNewAttempt', target: 'converted', actions: 'recordCredit' },
        'payout.refunded': 'returned_whole',
      },
    },
    converting: {
      tags: 'unfinished',
      description: 'The BRL is being converted to the home currency.',
      entry: ['beginAttempt', { type: 'startConversion', params: { leg: 'partial' } }],
      on: {
        'partial.completed': { guard: 'isPresentAttempt', target: 'converted', actions: 'recordCredit' },
        'partial.failed': { guard: 'isPresentAttempt', target: 'waiting', actions: 'endAttempt' },
      },
    },
    converted: { description: 'What the BRL was worth is in the home account.' },
    returned_whole: { description: 'The rest of the payment came back as well, and is settled with it.' },
  },
});
