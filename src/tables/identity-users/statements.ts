// The user that a subject of an identity provider is.

import { pick } from '../../platform/database/prepared.ts';
import { equals, everyProperty, prepared } from '../prepared.ts';
import type { Entity } from '../rows.ts';

type IdentityUser = Entity<'IdentityUser'>;

export const findIdentityUser = prepared.first((db, params: Omit<IdentityUser, 'userId'>) =>
  db
    .selectFrom('IdentityUser')
    .select('userId')
    .where(equals(pick(params, 'authProvider', 'authSubject'))),
);

/** Returns 0 if the subject has a user. Waits for a concurrent insert of the same subject. */
export const insertIdentityUser = prepared.count((db, params: IdentityUser) =>
  db
    .insertInto('IdentityUser')
    .values(everyProperty('IdentityUser', params))
    .onConflict((conflict) => conflict.columns(['authProvider', 'authSubject']).doNothing()),
);
