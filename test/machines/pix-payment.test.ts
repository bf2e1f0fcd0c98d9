// Tests a PIX payment against the table of its decisions, and what the whole machine allows.
import { expect, test } from 'vitest';
import { arrowsOf, leafStatesOf } from '../../machines/arrows.ts';
import { pixPaymentMachine } from '../../machines/pix-payment.machine.ts';
import { decidesAs, reachableFrom } from './decisions.ts';
import { AMOUNT_BRL, decisions, HOME_DEBIT } from './pix-payment.decisions.ts';

decidesAs(decisions);

test('a PIX payment can reach every state except conversion_failed, which exists only in the contract', () => {
  const inputs = (['direct', 'two_hop'] as const).map((flow) => ({
    flow,
    quotedSourceMinor: HOME_DEBIT,
    amountBrlMinor: AMOUNT_BRL,
  }));
  const reached = reachableFrom(pixPaymentMachine, inputs, decisions.events);
  expect(reached.has('conversion_failed')).toBe(false);
  expect(reached.add('conversion_failed')).toEqual(new Set(leafStatesOf(pixPaymentMachine)));
});

test('a PIX payment leaves a final state only when a payout is returned, and keeps it when it is settled', () => {
  const ends = new Set(['completed', 'refunded', 'manual_review', 'failed', 'conversion_failed']);
  const ways = arrowsOf(pixPaymentMachine).filter(({ from }) => ends.has(from));
  expect(ways.map(({ from, event, to }) => [from, event, to])).toEqual([
    ['completed', 'off-ramp.refunded', 'manual_review'],
    ['manual_review', 'settled', 'manual_review'],
  ]);
});
