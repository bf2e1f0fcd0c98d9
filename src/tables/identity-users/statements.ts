// The user that a subject of an identity provider is.

import { pick } from '../../platform/database/prepared.ts';
import { equals, everyProperty, prepared } from '../prepared.ts';
import type { Entity } from '../rows.ts';

type IdentityUser = Entity<'IdentityUser'>;

export const findIdentityUser = prepared.first((db, given: Omit<IdentityUser, 'userId'>) =>
  db
    .selectFrom('IdentityUser')
    .select('userId')
    .where(equals(pick(given, 'authProvider', 'authSubject'))),
);

/** Returns 0 if the subject has a user. Waits for a concurrent insert of the same subject. */
export const insertIdentityUser = prepared.count((db, given: IdentityUser) =>
  db
    .insertInto('IdentityUser')
    .values(everyProperty('IdentityUser', given))
    .onConflict((conflict) => conflict.columns(['authProvider', 'authSubject']).doNothing()),
);
