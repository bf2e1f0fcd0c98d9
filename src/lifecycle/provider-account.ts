// The row and the machine of one account at the provider.

import { providerAccountInvariants } from '../../machines/provider-account.invariants.ts';
import { providerAccountMachine } from '../../machines/provider-account.machine.ts';
import { handleFor } from '../domain/handles.ts';
import type { ProviderAccountRow } from '../entities/rows.ts';
import type { Lifecycle } from './lifecycle.ts';

export const providerAccount: Lifecycle<typeof providerAccountMachine, ProviderAccountRow> = {
  kind: 'provider_account',
  table: 'provider_accounts',
  machine: providerAccountMachine,
  invariants: providerAccountInvariants,
  contextOf: () => ({}),
  columnsOf: () => ({}),
  resourceOf: (row) => ({
    handle: handleFor(row.user_id, `account-${row.currency}`),
    kind: 'account',
    leg: null,
  }),
};
