// One of a user's accounts at the provider: the home currency, BRL, and USDC where the two-hop flow is on.
import { defineEntity, p } from '@mikro-orm/core';
import { currencies, lifecycle, moment, sealed } from './columns.ts';
import { owner } from './owner.ts';

export const ProviderAccount = defineEntity({
  name: 'ProviderAccount',
  tableName: 'provider_accounts',
  uniques: [{ properties: ['userId', 'currency'] }],
  properties: {
    id: p.uuid().primary(),
    userId: owner,
    currency: p.enum(currencies),
    ...lifecycle,
    providerAccountId: p.uuid().nullable().unique(),
    depositInstructionsSealed: sealed().nullable(),
    createdAt: moment(),
    updatedAt: moment(),
  },
});
