// Tests a withdrawal against the table of its decisions, and what the whole machine allows.
import { expect, test } from 'vitest';
import { arrowsOf, beginningOf, leafStatesOf } from '../../machines/arrows.ts';
import { unfinished } from '../../machines/states.ts';
import { begin } from '../../machines/step.ts';
import { withdrawMachine } from '../../machines/withdraw.machine.ts';
import { decidesAs, effectsOf, reachableFrom } from './decisions.ts';
import { decisions, input } from './withdraw.decisions.ts';

decidesAs(decisions);

test('a withdrawal begins with the effect that sends the money', () => {
  const begun = begin(withdrawMachine, input);
  expect([begun.state, effectsOf(begun), begun.context]).toEqual([
    'settling',
    ['startWithdrawPayout'],
    { ...input, failure: null },
  ]);
  expect(beginningOf(withdrawMachine)).toEqual({ to: 'settling', effects: ['startWithdrawPayout'] });
});

test('a withdrawal can reach every state', () => {
  expect(reachableFrom(withdrawMachine, [input], decisions.events)).toEqual(
    new Set(leafStatesOf(withdrawMachine)),
  );
});

test('a withdrawal leaves a final state only when the bank returns it', () => {
  const ways = arrowsOf(withdrawMachine).filter(
    ({ from }) => !unfinished.withdraw.some((state) => state === from),
  );
  expect(ways.map(({ from, event, to }) => [from, event, to])).toEqual([
    ['completed', 'off-ramp.refunded', 'failed'],
  ]);
});
