// Maps a subject of an identity provider to our user. Signing in starts here, before the user is known. The subject is unique
// across all users, so the row is found by the subject and does not reference `users`.
import { defineEntity } from '@mikro-orm/core';
import { exported } from '../export-marks.ts';
import { authProvider } from '../users/entity.ts';

export const IdentityUser = defineEntity({
  name: 'IdentityUser',
  tableName: 'identity_users',
  place: { column: 'auth_subject', group: 'identities' },
  properties: {
    authProvider: authProvider().primary(),
    authSubject: exported.text().primary(),
    userId: exported.uuid().index(),
  },
});
