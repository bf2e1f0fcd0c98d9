// The lifecycle of one account at the provider: its row and its machine.

import { providerAccountInvariants } from '../../machines/provider-account.invariants.ts';
import { providerAccountMachine } from '../../machines/provider-account.machine.ts';
import { handleFor } from '../domain/handles.ts';
import type { Entity } from '../tables/rows.ts';
import type { Lifecycle } from './lifecycle.ts';

export const providerAccount: Lifecycle<typeof providerAccountMachine, Entity<'ProviderAccount'>> = {
  kind: 'provider_account',
  entity: 'ProviderAccount',
  machine: providerAccountMachine,
  invariants: providerAccountInvariants,
  contextOf: () => ({}),
  propertiesOf: () => ({}),
  resourceOf: (row) => ({
    handle: handleFor(row.userId, `account-${row.currency}`),
    kind: 'account',
    leg: null,
  }),
};
