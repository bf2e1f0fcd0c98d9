// Maps a subject of an identity provider to our user. Signing in starts here, before the user is known. The subject is unique
// across all users, so the row is found by the subject and does not reference `users`.
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
