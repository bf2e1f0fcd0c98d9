// Our objects at the provider, by the row they belong to.
import type { Db } from '../database/orm.ts';
import type { ProviderResourceRow } from '../entities/rows.ts';

/** The owner behind a user's verification, named when the verification began. */
export const getOwner = (db: Db, userId: string, kycId: string): Promise<ProviderResourceRow> =>
  db
    .selectFrom('provider_resources')
    .selectAll()
    .where('subject_id', '=', kycId)
    .where('user_id', '=', userId)
    .where('kind', '=', 'owner')
    .executeTakeFirstOrThrow();
