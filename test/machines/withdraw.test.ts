// Every event in every state of a withdrawal, decided.
import { describe, expect, test } from 'vitest';
import { arrowsOf, beginningOf, leafStatesOf } from '../../machines/arrows.ts';
import { begin } from '../../machines/step.ts';
import { withdrawInvariants } from '../../machines/withdraw.invariants.ts';
import { type WithdrawEvent, withdrawMachine } from '../../machines/withdraw.machine.ts';
import { decidesAs, effectsOf, reachableFrom } from './decisions.ts';

const events = {
  'off-ramp.completed': { type: 'off-ramp.completed' },
  'off-ramp.failed': { type: 'off-ramp.failed', reason: 'withdraw_failed' },
  'off-ramp.refunded': { type: 'off-ramp.refunded' },
} as const satisfies Record<string, WithdrawEvent>;

describe('a withdrawal', () => {
  decidesAs({
    machine: withdrawMachine,
    invariants: withdrawInvariants,
    situations: {
      settling: { state: 'settling', context: { failure: null } },
      completed: { state: 'completed', context: { failure: null } },
      failed: { state: 'failed', context: { failure: 'withdraw_failed' } },
    },
    events,
    accepted: [
      ['settling', 'off-ramp.completed', 'completed', []],
      ['settling', 'off-ramp.failed', 'failed', [], { failure: 'withdraw_failed' }],
      ['settling', 'off-ramp.refunded', 'failed', [], { failure: 'withdraw_returned' }],
      ['completed', 'off-ramp.refunded', 'failed', [], { failure: 'withdraw_returned' }],
    ],
    refused: {
      settling: [],
      completed: ['off-ramp.completed', 'off-ramp.failed'],
      failed: ['off-ramp.completed', 'off-ramp.failed', 'off-ramp.refunded'],
    },
  });

  test('begins by sending the money', () => {
    const begun = begin(withdrawMachine, undefined);
    expect([begun.state, effectsOf(begun), begun.context]).toEqual([
      'settling',
      ['startWithdrawPayout'],
      { failure: null },
    ]);
    expect(beginningOf(withdrawMachine)).toEqual({ to: 'settling', effects: ['startWithdrawPayout'] });
  });

  test('can come to every state', () => {
    expect(reachableFrom(withdrawMachine, [undefined], events)).toEqual(
      new Set(leafStatesOf(withdrawMachine)),
    );
  });

  test('leaves an end only when the bank sends it back', () => {
    const ways = arrowsOf(withdrawMachine).filter(({ from }) => from !== 'settling');
    expect(ways.map(({ from, event, to }) => [from, event, to])).toEqual([
      ['completed', 'off-ramp.refunded', 'failed'],
    ]);
  });
});
