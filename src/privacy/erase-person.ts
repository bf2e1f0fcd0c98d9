// Erases a person's data, six years after they closed their account: every row in every table and the key that sealed
// them, in one transaction. What remains is an entry in the audit record with an id that identifies no one.
import type { App } from '../app.ts';
import { insertEntries } from '../audit/entry.ts';
import type { Db } from '../database/orm.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Cause } from '../lifecycle/lifecycle.ts';
import { deletePersonsRows, erasedTables } from '../sql/personal-data-map.ts';
import { findVersionOfDueUser, lockUserForErasure } from '../sql/users.ts';
import { holdsMoney, isMoneyUnderWay } from './money-left.ts';
import { idsOf } from './persons-ids.ts';

export type Erasure = 'erased' | 'not_due' | 'under_way' | 'holds_money' | 'moved';

/**
 * Erases a person whose retention has ended, unless money of theirs is left.
 * @param isSettled an operator has made sure that none is: neither the provider nor unfinished work here is checked.
 * @returns `moved` when money moved meanwhile: it is tried again another night.
 * @throws OutcomeUnknown when the provider does not report the person's balances.
 */
export async function erasePerson(
  app: App,
  userId: string,
  cause: Cause,
  { isSettled }: { isSettled: boolean } = { isSettled: false },
): Promise<Erasure> {
  const before = await dueVersion(app.db, userId, app.clock.now());
  if (before === null) return 'not_due';
  if (!isSettled && (await isMoneyUnderWay(app.db, userId))) return 'under_way';
  if (!isSettled && (await holdsMoney(app, userId))) return 'holds_money';
  return inTransaction(app.erasureDb, async (tx) => {
    const now = app.clock.now();
    const user = await lockUserForErasure(tx, { userId });
    const version = user ? await dueVersion(tx, userId, now) : null;
    if (version === null) return 'not_due';
    if (!isSettled && (version !== before || (await isMoneyUnderWay(tx, userId)))) return 'moved';
    await deleteAll(tx, userId);
    const details = { cause: `${cause.kind}:${cause.id}`, isSettled };
    await insertEntries(tx, [{ at: now, action: 'person.erased', userId, requestId: null, details }]);
    return 'erased';
  });
}

/** The balance version of a user who is due, or null: every movement of money changes it. */
async function dueVersion(db: Db, userId: string, now: Date): Promise<number | null> {
  const due = await findVersionOfDueUser(db, { userId, now });
  return due?.balanceVersion ?? null;
}

async function deleteAll(tx: Db, userId: string): Promise<void> {
  const ids = await idsOf(tx, userId);
  for (const table of erasedTables) await deletePersonsRows[table](tx, ids);
}
