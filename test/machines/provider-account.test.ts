// The decisions about every event in every state of an account at the provider.
import { expect, test } from 'vitest';
import { leafStatesOf } from '../../machines/arrows.ts';
import { providerAccountInvariants } from '../../machines/provider-account.invariants.ts';
import { providerAccountMachine } from '../../machines/provider-account.machine.ts';
import { begin } from '../../machines/step.ts';
import { decidesAs, effectsOf, reachableFrom } from './decisions.ts';

const events = { 'account.activated': { type: 'account.activated' } } as const;

decidesAs({
  machine: providerAccountMachine,
  invariants: providerAccountInvariants,
  situations: {
    provisioning: { state: 'provisioning', context: {} },
    active: { state: 'active', context: {} },
  },
  events,
  accepted: [['provisioning', 'account.activated', 'active', []]],
  refused: { provisioning: [], active: ['account.activated'] },
});

test('an account at the provider begins with the effect that opens it', () => {
  const begun = begin(providerAccountMachine, undefined);
  expect([begun.state, effectsOf(begun)]).toEqual(['provisioning', ['openAccount']]);
});

test('an account at the provider can reach every state', () => {
  expect(reachableFrom(providerAccountMachine, [undefined], events)).toEqual(
    new Set(leafStatesOf(providerAccountMachine)),
  );
});
