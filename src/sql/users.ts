// The users, with the balance that is kept for a few seconds.
import { sql } from 'kysely';
import { prepared } from '../database/prepared.ts';
import type { Entity } from '../entities/rows.ts';

type User = Entity<'User'>;

export const findUser = prepared.first((db, { userId }: { userId: string }) =>
  db.selectFrom('User').selectAll().where('id', '=', userId),
);

/** Locks the row for the rest of the database transaction. Each decision about a user's money begins with it. */
export const lockUserRow = prepared.first((db, { userId }: { userId: string }) =>
  db.selectFrom('User').selectAll().where('id', '=', userId).forNoKeyUpdate(),
);

/** Lists a page of the users who have no verification or no home currency, in the order of their ids. */
export const listIncompleteUsers = prepared.all(
  (_db, given: { after: string; limit: number }) => sql<
    Pick<User, 'id' | 'homeCurrency'> & { kycId: string | null }
  >`
    select users.id, users.home_currency, kyc.id as "kycId"
    from users left join kyc_verifications kyc on kyc.user_id = users.id
    where users.id > ${given.after} and (kyc.id is null or users.home_currency is null)
    order by users.id limit ${given.limit}`,
);
