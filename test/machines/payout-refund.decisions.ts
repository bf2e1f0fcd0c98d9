// The decisions about every event in every state of a partial return.
import { payoutRefundInvariants } from '../../machines/payout-refund.invariants.ts';
import { type PayoutRefundEvent, payoutRefundMachine } from '../../machines/payout-refund.machine.ts';
import { decisionsOf } from './decision-table.ts';

const figures = { sourceAmountMinor: 7_500, destinationAmountMinor: 1_040 };

const events = {
  requested: { type: 'conversion.requested' },
  'completed, attempt 1': { type: 'partial.completed', attempt: 1, ...figures },
  'completed, attempt 2': { type: 'partial.completed', attempt: 2, ...figures },
  'failed, attempt 1': { type: 'partial.failed', attempt: 1, attempted: true },
  'failed, attempt 2': { type: 'partial.failed', attempt: 2, attempted: true },
  'refused, attempt 1': { type: 'partial.failed', attempt: 1, attempted: false },
  'refused, attempt 2': { type: 'partial.failed', attempt: 2, attempted: false },
  returned: { type: 'payout.refunded' },
} as const satisfies Record<string, PayoutRefundEvent>;

const arrived = { amountBrlMinor: 7_500, attempt: 0, homeCreditMinor: null };
const first = { ...arrived, attempt: 1 };
const second = { ...arrived, attempt: 2 };
const credited = { homeCreditMinor: 1_040 };
const conversions = ['startConversion:partial'] as const;
const failures = [
  'failed, attempt 1',
  'failed, attempt 2',
  'refused, attempt 1',
  'refused, attempt 2',
] as const;
const all = Object.keys(events) as (keyof typeof events)[];

export const decisions = decisionsOf({
  machine: payoutRefundMachine,
  invariants: payoutRefundInvariants,
  situations: {
    waiting: { state: 'waiting', context: arrived },
    'waiting again': { state: 'waiting', context: first },
    converting: { state: 'converting', context: first },
    'converting again': { state: 'converting', context: second },
    converted: { state: 'converted', context: { ...first, ...credited } },
    returned_whole: { state: 'returned_whole', context: arrived },
  },
  events,
  accepted: [
    ['waiting', 'requested', 'converting', conversions, { attempt: 1 }],
    ['waiting', 'completed, attempt 1', 'converted', [], { attempt: 1, ...credited }],
    ['waiting', 'completed, attempt 2', 'converted', [], { attempt: 2, ...credited }],
    ['waiting', 'returned', 'returned_whole', []],
    ['waiting again', 'requested', 'converting', conversions, { attempt: 2 }],
    ['waiting again', 'completed, attempt 2', 'converted', [], { attempt: 2, ...credited }],
    ['waiting again', 'returned', 'returned_whole', []],
    ['converting', 'completed, attempt 1', 'converted', [], credited],
    ['converting', 'failed, attempt 1', 'waiting', []],
    ['converting', 'refused, attempt 1', 'waiting', [], { attempt: 0 }],
    ['converting again', 'completed, attempt 2', 'converted', [], credited],
    ['converting again', 'failed, attempt 2', 'waiting', []],
    ['converting again', 'refused, attempt 2', 'waiting', [], { attempt: 1 }],
  ],
  refused: {
    waiting: [...failures],
    'waiting again': ['completed, attempt 1', ...failures],
    converting: ['requested', 'completed, attempt 2', 'failed, attempt 2', 'refused, attempt 2', 'returned'],
    'converting again': [
      'requested',
      'completed, attempt 1',
      'failed, attempt 1',
      'refused, attempt 1',
      'returned',
    ],
    converted: all,
    returned_whole: all,
  },
});
