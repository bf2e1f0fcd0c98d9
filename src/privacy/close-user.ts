// Closing an account: marked, stripped of what is not needed, and scheduled for deletion, in one commit.
import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';
import { inTransaction } from '../database/transaction.ts';
import { newId } from '../domain/ids.ts';
import { dataRequestDueAt, hardDeletionDueAt } from '../domain/retention.ts';
import { insertDataRequest } from '../sql/data-requests.ts';
import { deleteKeysOfUser } from '../sql/idempotency-keys.ts';
import { deleteUnusedQuotesOfUser } from '../sql/pix-quotes.ts';
import { clearDepositInstructions } from '../sql/provider-accounts.ts';
import { stopVerificationPolls } from '../sql/provider-resources.ts';
import { clearShownProfile, lockUserRow, setUserClosed } from '../sql/users.ts';

/** @returns when the rest will be deleted. A second closure changes nothing and returns the same moment. */
export function closeUser(app: App, userId: string): Promise<Date> {
  return inTransaction(app.db, async (tx) => {
    const user = await lockUserRow(tx, { userId });
    if (!user) throw new Error(`the user ${userId} is missing`);
    if (user.closedAt !== null && user.hardDeletionDueAt !== null) return user.hardDeletionDueAt;

    const now = app.clock.now();
    const deletionDueAt = hardDeletionDueAt(now);
    await setUserClosed(tx, { userId, closedAt: now, hardDeletionDueAt: deletionDueAt });
    await stopVerificationPolls(tx, { userId });
    await purgeWhatIsNotNeeded(tx, userId);
    await insertDataRequest(tx, {
      id: newId(),
      userId,
      type: 'erasure',
      status: 'open',
      notesSealed: null,
      receivedAt: now,
      dueAt: dataRequestDueAt(now),
      closedAt: null,
    });
    return deletionDueAt;
  });
}

/**
 * Identity, bank details and everything about money are kept for the years that the law requires; also the subject at
 * the identity provider, by which a user who returns is told that the account is closed. What only served the app is
 * deleted: the name and address shown, the cached balance and deposit instructions, unused quotes, idempotency keys.
 */
async function purgeWhatIsNotNeeded(tx: Db, userId: string): Promise<void> {
  await clearShownProfile(tx, { userId });
  await clearDepositInstructions(tx, { userId });
  await deleteKeysOfUser(tx, { userId });
  await deleteUnusedQuotesOfUser(tx, { userId });
}
