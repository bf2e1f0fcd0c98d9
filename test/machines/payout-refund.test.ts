// Tests a partial return against the table of its decisions, and what the whole machine allows.
import { expect, test } from 'vitest';
import { beginningOf, leafStatesOf } from '../../machines/arrows.ts';
import { payoutRefundMachine } from '../../machines/payout-refund.machine.ts';
import { step } from '../../machines/step.ts';
import { decidesAs, reachableFrom } from './decisions.ts';
import { decisions } from './payout-refund.decisions.ts';

decidesAs(decisions);

test('nothing converts a partial return before an operator requests it', () => {
  expect(beginningOf(payoutRefundMachine)).toEqual({ to: 'waiting', effects: [] });
});

test('a partial return can reach every state', () => {
  expect(reachableFrom(payoutRefundMachine, [{ amountBrlMinor: 7_500 }], decisions.events)).toEqual(
    new Set(leafStatesOf(payoutRefundMachine)),
  );
});

test('a late failure of a replaced conversion changes nothing', () => {
  const context = { amountBrlMinor: 7_500, attempt: 2, homeCreditMinor: null };
  const late = { type: 'partial.failed', attempt: 1, attempted: true } as const;
  expect(step(payoutRefundMachine, 'converting', context, late)).toBeNull();
});
