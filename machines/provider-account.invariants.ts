// The machine of an account at the provider has no context, so it has no invariants.
import type { Invariants } from './invariants.ts';
import type { providerAccountMachine } from './provider-account.machine.ts';

export const providerAccountInvariants: Invariants<typeof providerAccountMachine> = {
  provisioning: [],
  active: [],
};
