// A withdrawal to the user's own bank: settling until the bank answers, and reversible by a return after that.
import { assign, setup } from 'xstate';
import type { FailureCode } from '../src/domain/failure-reasons.ts';

export type WithdrawContext = { failure: FailureCode | null };

export type WithdrawEvent =
  | { type: 'off-ramp.completed' }
  | { type: 'off-ramp.failed'; reason: FailureCode }
  | { type: 'off-ramp.refunded' };

const { createMachine } = setup({
  types: { context: {} as WithdrawContext, events: {} as WithdrawEvent },
  actions: {
    startWithdrawPayout: () => undefined,
    recordReason: assign(({ event }) => ('reason' in event ? { failure: event.reason } : {})),
    recordReturn: assign({ failure: 'withdraw_returned' }),
  },
});

export const withdrawMachine = createMachine({
  id: 'withdraw',
  context: { failure: null },
  initial: 'settling',
  states: {
    settling: {
      entry: 'startWithdrawPayout',
      on: {
        'off-ramp.completed': 'completed',
        'off-ramp.failed': { target: 'failed', actions: 'recordReason' },
        'off-ramp.refunded': { target: 'failed', actions: 'recordReturn' },
      },
    },
    // A bank can return a payment days after it took it.
    completed: { on: { 'off-ramp.refunded': { target: 'failed', actions: 'recordReturn' } } },
    // The money is back on the home account.
    failed: {},
  },
});
