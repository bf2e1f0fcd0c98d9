// The decisions about every event in every state of a withdrawal.
import { withdrawInvariants } from '../../machines/withdraw.invariants.ts';
import { type WithdrawEvent, withdrawMachine } from '../../machines/withdraw.machine.ts';
import { decisionsOf } from './decision-table.ts';

export const input = { amountMinor: 1_000, currency: 'GBP' } as const;
const another = { amountMinor: 900, currency: 'GBP' } as const;
const elsewhere = { amountMinor: 1_000, currency: 'EUR' } as const;

const events = {
  'off-ramp.completed': { type: 'off-ramp.completed', ...input },
  'off-ramp.completed, another amount': { type: 'off-ramp.completed', ...another },
  'off-ramp.completed, another currency': { type: 'off-ramp.completed', ...elsewhere },
  'off-ramp.failed': { type: 'off-ramp.failed', reason: 'withdraw_failed', ...input },
  'off-ramp.failed, another amount': { type: 'off-ramp.failed', reason: 'withdraw_failed', ...another },
  'off-ramp.failed, another currency': { type: 'off-ramp.failed', reason: 'withdraw_failed', ...elsewhere },
  'off-ramp.failed, never made': { type: 'off-ramp.failed', reason: 'insufficient_funds' },
  'off-ramp.refunded': { type: 'off-ramp.refunded', ...input },
  'off-ramp.refunded, another amount': { type: 'off-ramp.refunded', ...another },
  'off-ramp.refunded, another currency': { type: 'off-ramp.refunded', ...elsewhere },
  'reviewed.completed': { type: 'reviewed.completed' },
  'reviewed.failed': { type: 'reviewed.failed' },
} as const satisfies Record<string, WithdrawEvent>;

const reviewed = ['reviewed.completed', 'reviewed.failed'] as const;
const notAsOrdered = [
  'off-ramp.completed, another amount',
  'off-ramp.completed, another currency',
  'off-ramp.failed, another amount',
  'off-ramp.failed, another currency',
  'off-ramp.refunded, another amount',
  'off-ramp.refunded, another currency',
] as const;

export const decisions = decisionsOf({
  machine: withdrawMachine,
  invariants: withdrawInvariants,
  situations: {
    settling: { state: 'settling', context: { ...input, failure: null } },
    completed: { state: 'completed', context: { ...input, failure: null } },
    failed: { state: 'failed', context: { ...input, failure: 'withdraw_failed' } },
  },
  events,
  accepted: [
    ['settling', 'off-ramp.completed', 'completed', []],
    ['settling', 'off-ramp.failed', 'failed', [], { failure: 'withdraw_failed' }],
    ['settling', 'off-ramp.failed, never made', 'failed', [], { failure: 'insufficient_funds' }],
    ['settling', 'off-ramp.refunded', 'failed', [], { failure: 'withdraw_returned' }],
    ['settling', 'reviewed.completed', 'completed', []],
    ['settling', 'reviewed.failed', 'failed', [], { failure: 'withdraw_failed' }],
    ['completed', 'off-ramp.refunded', 'failed', [], { failure: 'withdraw_returned' }],
  ],
  refused: {
    settling: notAsOrdered,
    completed: [
      ...notAsOrdered,
      'off-ramp.completed',
      'off-ramp.failed',
      'off-ramp.failed, never made',
      ...reviewed,
    ],
    failed: Object.keys(events) as (keyof typeof events)[],
  },
});
