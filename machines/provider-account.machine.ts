// One of a user's accounts at the provider: opened by an effect, usable once the provider says it is active.
import { setup } from 'xstate';

export type ProviderAccountEvent = { type: 'account.activated' };

const { createMachine } = setup({
  types: { context: {} as Record<string, never>, events: {} as ProviderAccountEvent },
  actions: { openAccount: () => undefined },
});

export const providerAccountMachine = createMachine({
  id: 'providerAccount',
  context: {},
  initial: 'provisioning',
  states: {
    provisioning: { entry: 'openAccount', on: { 'account.activated': 'active' } },
    active: {},
  },
});
