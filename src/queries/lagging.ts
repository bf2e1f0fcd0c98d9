// A user's list read from a replica, unless it lacks what the user has just done.
import { sql } from 'kysely';
import type { Db } from '../database/orm.ts';
import type { Replica } from '../database/replica.ts';
import type { UserRow } from '../entities/rows.ts';
import type { Rows } from './rows.ts';

/** A user, and the newest of their transactions: everything that users add to a list adds one. */
export type UserAndNewest = { user: UserRow; newestId: string | null };

/** To be read from the primary. Transactions are ordered by the clocks of the processes that accepted them. */
export async function readUserAndNewest(primary: Db, userId: string): Promise<UserAndNewest | undefined> {
  const row = await primary
    .selectFrom('users')
    .selectAll()
    .select((is) =>
      is
        .selectFrom('transactions')
        .select('transactions.id')
        .where('user_id', '=', userId)
        .orderBy('created_at', 'desc')
        .orderBy('transactions.id', 'desc')
        .limit(1)
        .as('newestId'),
    )
    .where('users.id', '=', userId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { newestId, ...user } = row;
  return { user, newestId };
}

/**
 * @param newestId of the user; what the replica must have. A server applies commits in their order, so it has all that came
 *   before, too.
 * @param suffices whether rows of a replica will do: not where the user may have changed one of them since.
 * @returns null where the primary is to be read.
 */
export async function readFromReplica<Shape>(
  replica: Replica,
  { user, newestId }: { user: Pick<UserRow, 'id'>; newestId: string | null },
  { rows, suffices }: { rows: Rows<Shape>; suffices: (rows: Shape) => boolean },
): Promise<{ rows: Shape } | null> {
  const hasNewest =
    newestId === null
      ? sql<boolean>`true`
      : sql<boolean>`exists (select from transactions where user_id = ${user.id} and id = ${newestId})`;
  const read = await replica.tryRead((db) =>
    db.selectNoFrom([rows.as('rows'), hasNewest.as('hasNewest')]).executeTakeFirstOrThrow(),
  );
  if (!read?.hasNewest) return null;
  const shown = { rows: read.rows as Shape };
  return suffices(shown.rows) ? shown : null;
}
