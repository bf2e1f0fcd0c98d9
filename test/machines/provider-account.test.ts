// Tests an account at the provider against the table of its decisions, and what the whole machine allows.
import { expect, test } from 'vitest';
import { leafStatesOf } from '../../machines/arrows.ts';
import { providerAccountMachine } from '../../machines/provider-account.machine.ts';
import { begin } from '../../machines/step.ts';
import { decidesAs, effectsOf, reachableFrom } from './decisions.ts';
import { decisions } from './provider-account.decisions.ts';

decidesAs(decisions);

test('an account at the provider begins with the effect that opens it', () => {
  const begun = begin(providerAccountMachine, undefined);
  expect([begun.state, effectsOf(begun)]).toEqual(['provisioning', ['openAccount']]);
});

test('an account at the provider can reach every state', () => {
  expect(reachableFrom(providerAccountMachine, [undefined], decisions.events)).toEqual(
    new Set(leafStatesOf(providerAccountMachine)),
  );
});
