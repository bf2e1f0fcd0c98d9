// The user that an object of the provider belongs to, where it may belong to no other: a verified identity, an account, a
// movement of money on one. It is unique over all users, so it is found by the provider's id, and has no reference to `users`.
import { defineEntity, p } from '@mikro-orm/core';
import { enumOf } from './columns.ts';

const providerObjectKinds = ['owner', 'account', 'movement'] as const;

export const ProviderObjectUser = defineEntity({
  name: 'ProviderObjectUser',
  tableName: 'provider_object_users',
  properties: {
    providerRef: p.uuid().primary(),
    kind: enumOf('provider_object_kind', providerObjectKinds).primary(),
    userId: p.uuid().index(),
  },
});
