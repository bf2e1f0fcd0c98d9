// The user that an object at the provider belongs to, for objects that must belong to only one user: a verified identity, an
// account, a movement of money on an account, or a charge that is paid. The object is unique across all users, so the row is found by
// the provider's id and does not reference `users`.
import { defineEntity } from '@mikro-orm/core';
import { enumOf } from '../columns.ts';
import { exported } from '../export-marks.ts';

const providerObjectKinds = ['owner', 'account', 'movement', 'charge'] as const;

export const ProviderObjectUser = defineEntity({
  name: 'ProviderObjectUser',
  tableName: 'provider_object_users',
  place: { column: 'provider_ref', group: 'objects' },
  properties: {
    providerRef: exported.uuid().primary(),
    kind: enumOf('provider_object_kind', providerObjectKinds).primary(),
    userId: exported.uuid().index(),
    /** The payment that pays the charge. Null for other objects. */
    paymentId: exported.uuid().nullable(),
  },
});
