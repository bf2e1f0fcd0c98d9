// The users, with the balance that is kept for a few seconds.
import { sql } from 'kysely';
import { prepared } from '../database/prepared.ts';

export const findUser = prepared.first((db, { userId }: { userId: string }) =>
  db.selectFrom('User').selectAll().where('id', '=', userId),
);

/** Locks the row for the rest of the database transaction. Each decision about a user's money begins with it. */
export const lockUserRow = prepared.first((db, { userId }: { userId: string }) =>
  db.selectFrom('User').selectAll().where('id', '=', userId).forNoKeyUpdate(),
);

/** Locks the row against inserts of rows that refer to it as well. */
export const lockUserForErasure = prepared.first((db, { userId }: { userId: string }) =>
  db.selectFrom('User').select('id').where('id', '=', userId).forUpdate(),
);

export const setUserClosed = prepared.count(
  (db, given: { userId: string; closedAt: Date; hardDeletionDueAt: Date }) =>
    db
      .updateTable('User')
      .set({ closedAt: given.closedAt, hardDeletionDueAt: given.hardDeletionDueAt })
      .where('id', '=', given.userId),
);

/** Removes the name, the address and the kept balance, which only the app shows. */
export const clearShownProfile = prepared.count((db, { userId }: { userId: string }) =>
  db
    .updateTable('User')
    .set({ displayName: '', emailSealed: null, balanceMinor: null, balanceReadAt: null })
    .where('id', '=', userId),
);

/** Finds the balance version of a closed user whose erasure is due. */
export const findVersionOfDueUser = prepared.first((db, { userId, now }: { userId: string; now: Date }) =>
  db
    .selectFrom('User')
    .select('balanceVersion')
    .where('id', '=', userId)
    .where('closedAt', 'is not', null)
    .where('hardDeletionDueAt', '<=', now),
);

/** Lists the users whose erasure has been due the longest. @param given the place of the last row of the page before. */
export const listDueUsers = prepared.all(
  (_db, given: { until: Date; afterDueAt: string; afterId: string; limit: number }) => sql<{
    id: string;
    dueAt: Date;
  }>`
    select id, hard_deletion_due_at as "dueAt" from users
    where hard_deletion_due_at <= ${given.until}
      and (hard_deletion_due_at, id) > (${given.afterDueAt}::timestamptz, ${given.afterId}::uuid)
    order by hard_deletion_due_at, id
    limit ${given.limit}`,
);
