// The machine of an account at the provider remembers nothing, so there is nothing to be held to.
import type { Invariants } from './invariants.ts';
import type { providerAccountMachine } from './provider-account.machine.ts';

export const providerAccountInvariants: Invariants<typeof providerAccountMachine> = {
  provisioning: [],
  active: [],
};
