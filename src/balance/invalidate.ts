// The cached balance is invalidated by every known movement of money, so that no user is shown, or pays from, an old one.
import { sql } from 'kysely';
import type { Db } from '../database/orm.ts';
import { columnStatement } from '../database/statement.ts';

/** Invalidates every balance read before now, in this process and in every other. */
export async function invalidateBalance(tx: Db, userId: string): Promise<void> {
  await invalidate(tx, { userId });
}

/** The same for a deposit. It is added to the last balance, which is not shown any more: the next read is compared with it. */
export async function invalidateByDeposit(tx: Db, userId: string, amountMinor: number): Promise<void> {
  await invalidateAndAdd(tx, { userId, amountMinor });
}

const invalidateAndAdd = columnStatement(
  (db, { userId, amountMinor }: { userId: string; amountMinor: number }) =>
    db
      .updateTable('users')
      .set({
        balance_version: sql<number>`balance_version + 1`,
        balance_read_at: null,
        balance_minor: sql<number>`case when closed_at is null then coalesce(balance_minor, 0) + ${amountMinor}::bigint end`,
      })
      .where('id', '=', userId),
);

const invalidate = columnStatement((db, { userId }: { userId: string }) =>
  db
    .updateTable('users')
    .set({ balance_version: sql<number>`balance_version + 1`, balance_read_at: null })
    .where('id', '=', userId),
);
