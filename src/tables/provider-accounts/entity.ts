// One of a user's accounts at the provider: in the home currency, in BRL, and in USDC if the two-hop flow is enabled.
import { defineEntity } from '@mikro-orm/core';
import { states, unfinished } from '../../../machines/states.ts';
import {
  currencies,
  enumOf,
  isAmong,
  lifecycle,
  moment,
  sealed,
  sealedAt,
  searchable,
  searchHash,
} from '../columns.ts';
import { exported, ours } from '../export-marks.ts';
import { owner } from '../owner.ts';
import { byUser } from '../place.ts';

export const ProviderAccount = defineEntity({
  name: 'ProviderAccount',
  tableName: 'provider_accounts',
  place: byUser,
  uniques: [{ properties: ['userId', 'currency'] }, { properties: ['providerAccountId', 'userId'] }],
  indexes: [
    searchable('provider_accounts_deposit_hash', 'provider_accounts', 'deposit_hash'),
    {
      name: 'provider_accounts_unfinished',
      properties: ['id'],
      where: isAmong('state', unfinished.provider_account),
    },
    {
      name: 'provider_accounts_ages',
      properties: ['state', 'stateEnteredAt'],
      where: isAmong('state', unfinished.provider_account),
    },
  ],
  properties: {
    id: exported.uuid().primary(),
    userId: () => owner().primary(),
    currency: enumOf('currency', currencies),
    ...lifecycle('provider_account', states.provider_account),
    providerAccountId: exported.uuid().nullable(),
    /** The last movement that reconciliation has scanned. The next scan continues after it. */
    movementsCursor: ours.uuid().nullable(),
    depositInstructionsSealed: sealed({ version: 'depositInstructionsSealedAt' }).nullable(),
    depositInstructionsSealedAt: sealedAt().nullable(),
    depositHash: searchHash().nullable(),
    createdAt: moment(),
    updatedAt: moment(),
  },
});
