// How far a list of the provider has been scanned, so that each night continues where the last one ended.
import { defineEntity, p } from '@mikro-orm/core';
import { enumOf, moment } from '../columns.ts';

export const ProviderCursor = defineEntity({
  name: 'ProviderCursor',
  tableName: 'provider_cursors',
  place: 'coordinator',
  properties: {
    list: enumOf('provider_list', ['payouts', 'transfers', 'movements', 'accounts']).primary(),
    /** The provider's id of the last entry that need not be fetched again. */
    after: p.uuid().nullable(),
    updatedAt: moment(),
    /** Changes before this time were handed to slices. Null before the first window. */
    plannedTo: moment().nullable(),
  },
});
