// The lifecycle of a withdrawal to the user's own bank. It is settling until the payout ends. A bank can still return a completed one.
import { assign, setup } from 'xstate';
import type { Currency, HomeCurrency } from '../src/domain/currency.ts';
import type { FailureCode } from '../src/domain/failure-reasons.ts';
import type { StateTag } from './tags.ts';

export type WithdrawContext = {
  /** The amount that the user's bank must receive, in minor units of `currency`. */
  amountMinor: number;
  currency: HomeCurrency;
  failure: FailureCode | null;
};

/** The payout's amount as reported by the provider, in minor units. It must be the requested amount. */
type Paid = { amountMinor: number; currency: Currency };

export type WithdrawEvent =
  | ({ type: 'off-ramp.completed' } & Paid)
  /** The payout failed. The event has no amount if the provider refused the request, which then created nothing. */
  | ({ type: 'off-ramp.failed'; reason: FailureCode } & Partial<Paid>)
  | ({ type: 'off-ramp.refunded' } & Paid)
  /** An operator has decided the outcome, because the provider's object vanished or differs from what we requested. */
  | { type: 'reviewed.completed' }
  | { type: 'reviewed.failed' };

export type WithdrawInput = Pick<WithdrawContext, 'amountMinor' | 'currency'>;

const isExactPayout = ({ amountMinor, currency }: WithdrawContext, event: WithdrawEvent): boolean =>
  'amountMinor' in event && event.amountMinor === amountMinor && event.currency === currency;

const { createMachine } = setup({
  types: {
    context: {} as WithdrawContext,
    events: {} as WithdrawEvent,
    input: {} as WithdrawInput,
    tags: {} as StateTag,
  },
  actions: {
    startWithdrawPayout: () => undefined,
    recordReason: assign(({ event }) => ('reason' in event ? { failure: event.reason } : {})),
    recordReturn: assign({ failure: 'withdraw_returned' }),
    recordFailure: assign({ failure: 'withdraw_failed' }),
  },
  guards: {
    // A report with another amount is not about the requested payout, so it is refused even if it reports the payout as paid.
    paidExactly: ({ context, event }) => isExactPayout(context, event),
    refusedOrFailedExactly: ({ context, event }) =>
      !('amountMinor' in event) || isExactPayout(context, event),
  },
});

export const withdrawMachine = createMachine({
  id: 'withdraw',
  description: "Sends money from the home balance to the user's own bank.",
  // `input` is spread because xstate also creates an actor without input in each step: reading a property of it would throw.
  context: ({ input }) => ({ ...input, failure: null }),
  initial: 'settling',
  states: {
    settling: {
      tags: ['unfinished', 'fundsReserved'],
      description: 'The payout is ordered, or the banks are already processing it.',
      entry: 'startWithdrawPayout',
      on: {
        'off-ramp.completed': { guard: 'paidExactly', target: 'completed' },
        'off-ramp.failed': { guard: 'refusedOrFailedExactly', target: 'failed', actions: 'recordReason' },
        'off-ramp.refunded': { guard: 'paidExactly', target: 'failed', actions: 'recordReturn' },
        'reviewed.completed': 'completed',
        'reviewed.failed': { target: 'failed', actions: 'recordFailure' },
      },
    },
    completed: {
      description:
        "The money is in the user's own bank account. A bank can return a payment days after it accepted it.",
      on: { 'off-ramp.refunded': { guard: 'paidExactly', target: 'failed', actions: 'recordReturn' } },
    },
    failed: { description: 'The money is in the home account: it never left, or it was returned.' },
  },
});
