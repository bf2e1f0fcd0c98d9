// The lifecycle of one of a user's accounts at the provider. An effect opens it. It can be used when the provider reports it as active.
import { setup } from 'xstate';
import type { StateTag } from './tags.ts';

export type ProviderAccountEvent = { type: 'account.activated' };

const { createMachine } = setup({
  types: { context: {} as Record<string, never>, events: {} as ProviderAccountEvent, tags: {} as StateTag },
  actions: { openAccount: () => undefined },
});

export const providerAccountMachine = createMachine({
  id: 'providerAccount',
  description: 'Holds one currency of one user at the provider.',
  context: {},
  initial: 'provisioning',
  states: {
    provisioning: {
      tags: 'unfinished',
      description: 'No money can be paid in or out yet.',
      entry: 'openAccount',
      on: { 'account.activated': 'active' },
    },
    active: { description: 'Money can be paid in and out.' },
  },
});
