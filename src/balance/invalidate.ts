// The cached balance is invalidated by every known movement of money, so that no user is shown, or pays from, an old one.
import { sql } from 'kysely';
import type { Db } from '../database/orm.ts';
import { columnStatement } from '../database/statement.ts';

/** Invalidates every balance read before now, in this process and in every other. */
export async function invalidateBalance(tx: Db, userId: string): Promise<void> {
  await invalidate(tx, { userId });
}

const invalidate = columnStatement((db, { userId }: { userId: string }) =>
  db
    .updateTable('users')
    .set({ balance_version: sql<number>`balance_version + 1`, balance_read_at: null })
    .where('id', '=', userId),
);
