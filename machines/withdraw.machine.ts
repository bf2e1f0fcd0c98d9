// A withdrawal to the user's own bank: settling until the bank answers, and reversible by a return after that.
import { assign, setup } from 'xstate';
import type { FailureCode } from '../src/domain/failure-reasons.ts';
import type { StateTag } from './tags.ts';

export type WithdrawContext = { failure: FailureCode | null };

export type WithdrawEvent =
  | { type: 'off-ramp.completed' }
  | { type: 'off-ramp.failed'; reason: FailureCode }
  | { type: 'off-ramp.refunded' };

const { createMachine } = setup({
  types: { context: {} as WithdrawContext, events: {} as WithdrawEvent, tags: {} as StateTag },
  actions: {
    startWithdrawPayout: () => undefined,
    recordReason: assign(({ event }) => ('reason' in event ? { failure: event.reason } : {})),
    recordReturn: assign({ failure: 'withdraw_returned' }),
  },
});

export const withdrawMachine = createMachine({
  id: 'withdraw',
  description: "Sends money from the home balance to the user's own bank.",
  context: { failure: null },
  initial: 'settling',
  states: {
    settling: {
      tags: ['unfinished', 'fundsReserved'],
      description: 'Promised to the banks, or with them already.',
      entry: 'startWithdrawPayout',
      on: {
        'off-ramp.completed': 'completed',
        'off-ramp.failed': { target: 'failed', actions: 'recordReason' },
        'off-ramp.refunded': { target: 'failed', actions: 'recordReturn' },
      },
    },
    completed: {
      description: "In the user's own bank account. A bank can return a payment days after it took it.",
      on: { 'off-ramp.refunded': { target: 'failed', actions: 'recordReturn' } },
    },
    failed: { description: 'On the home account: it never left, or it came back.' },
  },
});
