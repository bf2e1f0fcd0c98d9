// DELETE /me: closes the account, deletes the data that is not needed, and schedules the rest for deletion. It is safe to repeat. On
// request, it refuses while money is left.
import { type Handler, ok } from '../api/operation.ts';
import { newId } from '../domain/ids.ts';
import { Refusal } from '../domain/refusals.ts';
import type { DatabaseClock } from '../platform/database/database-time.ts';
import { inDbTransaction } from '../platform/database/db-transaction.ts';
import type { Provider } from '../provider/port.ts';
import { insertDataRequest } from '../tables/data-requests/statements.ts';
import { deleteKeysOfUser } from '../tables/idempotency-keys/statements.ts';
import { deleteNameChecksOfUser } from '../tables/name-checks/statements.ts';
import type { Db } from '../tables/orm.ts';
import { deleteUnusedCodesOfUser } from '../tables/pix-codes/statements.ts';
import { deleteUnusedLookupsOfUser } from '../tables/pix-lookups/statements.ts';
import { deleteUnusedQuotesOfUser } from '../tables/pix-quotes/statements.ts';
import { deleteRecipientsOfUser } from '../tables/pix-recipients/statements.ts';
import { clearDepositInstructions } from '../tables/provider-accounts/statements.ts';
import { stopVerificationPolls } from '../tables/provider-resources/statements.ts';
import { clearShownProfile, type KnownUser, lockUserRow, setUserClosed } from '../tables/users/statements.ts';
import { holdsMoney, isMoneyUnderWay } from './money-left.ts';
import { dataRequestDueAt, hardDeletionDueAt } from './retention.ts';

export const closeAccount: Handler<
  'closeAccount',
  { db: Db; databaseClock: DatabaseClock; provider: Provider<'interactive'> }
> = async ({ user, query }, { db, databaseClock, provider }) => {
  const unlessMoneyIsLeft = query.unlessMoneyIsLeft === true;
  const dueAt = await closeUser({ db, databaseClock, provider }, user, { unlessMoneyIsLeft });
  return ok({ status: 'closed', hardDeletionScheduledFor: dueAt.toISOString() });
};

/**
 * Closes a user's account. Returns when the remaining data will be deleted. A second call changes nothing and returns the same time.
 * @param options with `unlessMoneyIsLeft`, an open account with a balance or unfinished work stays open.
 * @throws Refusal `account_holds_money` in that case, and if money moved while the balance was read; OutcomeUnknown if the balance has
 *   to be read and cannot be.
 */
async function closeUser(
  { db, databaseClock, provider }: { db: Db; databaseClock: DatabaseClock; provider: Provider },
  { id: userId, closedAt, balanceVersion }: Pick<KnownUser, 'id' | 'closedAt' | 'balanceVersion'>,
  { unlessMoneyIsLeft }: { unlessMoneyIsLeft: boolean },
): Promise<Date> {
  // The provider is called before the user's row is locked. The rows are read again under the lock. The balances are at least as new as
  // the version that was read before them.
  if (unlessMoneyIsLeft && closedAt === null && (await holdsMoney({ db, provider }, userId)))
    throw new Refusal('account_holds_money');
  return inDbTransaction(db, async (tx) => {
    const user = await lockUserRow(tx, { userId });
    if (!user) throw new Error(`the user ${userId} is missing`);
    if (user.closedAt !== null && user.hardDeletionDueAt !== null) return user.hardDeletionDueAt;
    const hasMoved = user.balanceVersion !== balanceVersion;
    if (unlessMoneyIsLeft && (hasMoved || (await isMoneyUnderWay(tx, userId))))
      throw new Refusal('account_holds_money');

    const now = await databaseClock.now(tx);
    const deletionDueAt = hardDeletionDueAt(now);
    await setUserClosed(tx, { userId, closedAt: now, hardDeletionDueAt: deletionDueAt });
    await purgeWhatIsNotNeeded(tx, userId);
    await stopVerificationPolls(tx, { userId });
    await insertDataRequest(tx, {
      id: newId(),
      userId,
      type: 'erasure',
      status: 'open',
      notesSealed: null,
      receivedAt: now.toDate(),
      dueAt: dataRequestDueAt(now).toDate(),
      closedAt: null,
    });
    return deletionDueAt.toDate();
  });
}

/**
 * Deletes the data that only the app needed: the displayed name and e-mail address, the cached balance, the deposit instructions,
 * unused quotes, look-ups and codes, checks of names, the list of recipients, and idempotency keys. Identity, bank details and all data
 * about money are kept for the years that the law requires.
 * The identity provider's `sub` is also kept, so that a returning user learns that the account is closed.
 */
async function purgeWhatIsNotNeeded(tx: Db, userId: string): Promise<void> {
  await clearShownProfile(tx, { userId });
  await clearDepositInstructions(tx, { userId });
  await deleteKeysOfUser(tx, { userId });
  await deleteUnusedQuotesOfUser(tx, { userId });
  await deleteUnusedLookupsOfUser(tx, { userId });
  await deleteNameChecksOfUser(tx, { userId });
  await deleteUnusedCodesOfUser(tx, { userId });
  await deleteRecipientsOfUser(tx, { userId });
}
