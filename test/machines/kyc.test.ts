// Tests an identity verification against the table of its decisions, and what the whole machine allows.
import { expect, test } from 'vitest';
import { arrowsOf, leafStatesOf } from '../../machines/arrows.ts';
import { kycMachine } from '../../machines/kyc.machine.ts';
import { begin } from '../../machines/step.ts';
import { decidesAs, reachableFrom } from './decisions.ts';
import { decisions, first } from './kyc.decisions.ts';

decidesAs(decisions);

test('a verification begins without a level and emits nothing', () => {
  expect(begin(kycMachine, undefined)).toEqual({ state: 'pending', effects: [], context: first });
});

test('a verification can reach every state', () => {
  expect(reachableFrom(kycMachine, [undefined], decisions.events)).toEqual(new Set(leafStatesOf(kycMachine)));
});

test('an approved verification is final, and a failed one is left for a late completion or another attempt', () => {
  const ways = arrowsOf(kycMachine).filter(({ from, to }) => from !== 'pending' && from !== to);
  expect(ways.map(({ from, event, to }) => [from, event, to])).toEqual([
    ['failed', 'kyc.completed', 'completed'],
    ['failed', 'kyc.restarted', 'pending'],
  ]);
});
