// A user, as one identity provider identifies them. The cached balance is a copy; the provider's balance is authoritative.
import { defineEntity } from '@mikro-orm/core';
import { enumOf, homeCurrency, minorIn, moment, sealed, searchable, searchHash } from '../columns.ts';
import { exported, ours } from '../export-marks.ts';

const authProviders = ['identity_provider_a', 'identity_provider_b'] as const;
export const authProvider = () => enumOf('auth_provider', authProviders);

export const User = defineEntity({
  name: 'User',
  tableName: 'users',
  place: { column: 'id', group: 'users' },
  indexes: [
    searchable('users_email_hash', 'users', 'email_hash'),
    {
      name: 'users_due_for_deletion',
      expression:
        'create index users_due_for_deletion on users (hard_deletion_due_at) where hard_deletion_due_at is not null',
    },
  ],
  properties: {
    id: exported.uuid().primary(),
    /** The provider and the subject are unique together. `IdentityUser` enforces it. */
    authProvider: authProvider(),
    authSubject: exported.text(),
    emailSealed: sealed({ scope: 'id' }).nullable(),
    emailHash: searchHash().nullable(),
    displayName: exported.text(),
    homeCurrency: homeCurrency().nullable(),
    balanceMinor: minorIn('homeCurrency').nullable(),
    balanceReadAt: moment().nullable(),
    /** Counts every known movement of money. A balance that was read before an increment must not be used after it. */
    balanceVersion: ours.integer().default(0),
    closedAt: moment().nullable(),
    hardDeletionDueAt: moment().nullable(),
    createdAt: moment(),
  },
});
