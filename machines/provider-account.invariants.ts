// The machine of a provider account has no context, so it has no invariants.
import type { Invariants } from './invariants.ts';
import type { providerAccountMachine } from './provider-account.machine.ts';

export const providerAccountInvariants: Invariants<typeof providerAccountMachine> = {
  provisioning: [],
  active: [],
};
