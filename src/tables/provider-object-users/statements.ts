// The users that objects of the provider belong to, over all users.

import { equals, prepared } from '../prepared.ts';
import type { Entity } from '../rows.ts';

type ObjectUser = Entity<'ProviderObjectUser'>;

/** Inserts nothing if the object belongs to a user already. */
export const insertObjectUser = prepared.count((db, { providerRef, kind, userId, paymentId }: ObjectUser) =>
  db
    .insertInto('ProviderObjectUser')
    .values({ providerRef, kind, userId, paymentId })
    .onConflict((conflict) => conflict.columns(['providerRef', 'kind']).doNothing()),
);

export const findObjectUser = prepared.first(
  (db, { providerRef, kind }: Pick<ObjectUser, 'providerRef' | 'kind'>) =>
    db.selectFrom('ProviderObjectUser').select(['userId', 'paymentId']).where(equals({ providerRef, kind })),
);
