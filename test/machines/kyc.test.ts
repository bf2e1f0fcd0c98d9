// The decisions about every event in every state of an identity verification.
import { expect, test } from 'vitest';
import { arrowsOf, leafStatesOf } from '../../machines/arrows.ts';
import { kycInvariants } from '../../machines/kyc.invariants.ts';
import { type KycEvent, kycMachine } from '../../machines/kyc.machine.ts';
import { begin } from '../../machines/step.ts';
import { decidesAs, reachableFrom } from './decisions.ts';

const events = {
  'kyc.completed': { type: 'kyc.completed', level: 'standard' },
  'kyc.completed, enhanced': { type: 'kyc.completed', level: 'enhanced' },
  'kyc.failed': { type: 'kyc.failed' },
} as const satisfies Record<string, KycEvent>;

const standard = { level: 'standard' } as const;
const enhanced = { level: 'enhanced' } as const;

decidesAs({
  machine: kycMachine,
  invariants: kycInvariants,
  situations: {
    pending: { state: 'pending', context: { level: null } },
    completed: { state: 'completed', context: standard },
    failed: { state: 'failed', context: { level: null } },
  },
  events,
  accepted: [
    ['pending', 'kyc.completed', 'completed', ['provisionAccounts'], standard],
    ['pending', 'kyc.completed, enhanced', 'completed', ['provisionAccounts'], enhanced],
    ['pending', 'kyc.failed', 'failed', []],
    ['failed', 'kyc.completed', 'completed', ['provisionAccounts'], standard],
    ['failed', 'kyc.completed, enhanced', 'completed', ['provisionAccounts'], enhanced],
  ],
  refused: {
    pending: [],
    completed: ['kyc.completed', 'kyc.completed, enhanced', 'kyc.failed'],
    failed: ['kyc.failed'],
  },
});

test('a verification begins without a level and emits nothing', () => {
  expect(begin(kycMachine, undefined)).toEqual({ state: 'pending', effects: [], context: { level: null } });
});

test('a verification can reach every state', () => {
  expect(reachableFrom(kycMachine, [undefined], events)).toEqual(new Set(leafStatesOf(kycMachine)));
});

test('a verification leaves a final state only for a late completion', () => {
  const ways = arrowsOf(kycMachine).filter(({ from }) => from !== 'pending');
  expect(ways.map(({ from, event, to }) => [from, event, to])).toEqual([
    ['failed', 'kyc.completed', 'completed'],
  ]);
});
