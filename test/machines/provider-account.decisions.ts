// The decisions about every event in every state of an account at the provider.
import { providerAccountInvariants } from '../../machines/provider-account.invariants.ts';
import { providerAccountMachine } from '../../machines/provider-account.machine.ts';
import { decisionsOf } from './decision-table.ts';

const events = { 'account.activated': { type: 'account.activated' } } as const;

export const decisions = decisionsOf({
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
