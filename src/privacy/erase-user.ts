// Erases a user's data six years after the account was closed: in one transaction, all rows of the user in every table and the data
// key that sealed them. Only an audit entry remains, with an id that no longer identifies anyone.

import { insertEntries } from '../audit/entry.ts';
import type { DatabaseClock, DatabaseTime } from '../platform/database/database-time.ts';
import { inDbTransaction } from '../platform/database/db-transaction.ts';
import type { Provider } from '../provider/port.ts';
import type { Db } from '../tables/orm.ts';
import { deletePersonsRows, erasedTables } from '../tables/personal-data-map.ts';
import type { Cause } from '../tables/transitions/entity.ts';
import { findVersionOfDueUser, lockUserForErasure } from '../tables/users/statements.ts';
import { holdsMoney, isMoneyUnderWay } from './money-left.ts';
import { idsOf } from './user-ids.ts';

export type Erasure = 'erased' | 'not_due' | 'under_way' | 'holds_money' | 'moved';

/**
 * Erases a user whose retention period has ended, unless the user still has money.
 * @param isSettled an operator has verified that no money is left, so neither balances nor unfinished payments are checked.
 * @returns `moved` if money moved during the check; the next night tries again.
 * @throws OutcomeUnknown if the provider does not report the user's balances.
 */
export async function eraseUser(
  {
    db,
    erasureDb,
    provider,
    databaseClock,
  }: { db: Db; erasureDb: Db; provider: Provider; databaseClock: DatabaseClock },
  userId: string,
  cause: Cause,
  { isSettled }: { isSettled: boolean } = { isSettled: false },
): Promise<Erasure> {
  const before = await dueVersion(db, userId, await databaseClock.now(db));
  if (before === null) return 'not_due';
  if (!isSettled && (await isMoneyUnderWay(db, userId))) return 'under_way';
  if (!isSettled && (await holdsMoney({ db, provider }, userId))) return 'holds_money';
  return inDbTransaction(erasureDb, async (tx) => {
    const now = await databaseClock.now(tx);
    const user = await lockUserForErasure(tx, { userId });
    const version = user ? await dueVersion(tx, userId, now) : null;
    if (version === null) return 'not_due';
    if (!isSettled && (version !== before || (await isMoneyUnderWay(tx, userId)))) return 'moved';
    const ids = await idsOf(tx, userId);
    for (const table of erasedTables) await deletePersonsRows[table](tx, ids);
    const details = { cause: `${cause.kind}:${cause.id}`, isSettled };
    await insertEntries(tx, [
      { at: now.toDate(), action: 'person.erased', userId, requestId: null, details },
    ]);
    return 'erased';
  });
}

/** Returns the balance version of a user who is due for erasure, or null if not due. Every movement of money changes the version. */
async function dueVersion(db: Db, userId: string, now: DatabaseTime): Promise<number | null> {
  const due = await findVersionOfDueUser(db, { userId, now });
  return due?.balanceVersion ?? null;
}
