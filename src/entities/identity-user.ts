// The user that a subject of an identity provider is. Signing in begins here, before any user is known: it is unique over all
// users, so it is found by the subject, and has no reference to `users`.
import { defineEntity, p } from '@mikro-orm/core';
import { authProvider } from './user.ts';

export const IdentityUser = defineEntity({
  name: 'IdentityUser',
  tableName: 'identity_users',
  properties: {
    authProvider: authProvider().primary(),
    authSubject: p.text().primary(),
    userId: p.uuid().index(),
  },
});
