// Closing an account: marked, stripped of what is not needed, and scheduled for deletion, in one commit.
import { sql } from 'kysely';
import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';
import { inTransaction } from '../database/transaction.ts';
import { newId } from '../domain/ids.ts';
import { dataRequestDueAt, hardDeletionDueAt } from '../domain/retention.ts';

/** @returns when the rest will be deleted. A second closure changes nothing and returns the same moment. */
export function closeUser(app: App, userId: string): Promise<Date> {
  return inTransaction(app.db, async (tx) => {
    const { closed_at, hard_deletion_due_at } = await tx
      .selectFrom('users')
      .select(['closed_at', 'hard_deletion_due_at'])
      .where('id', '=', userId)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow();
    if (closed_at !== null && hard_deletion_due_at !== null) return hard_deletion_due_at;

    const now = app.clock.now();
    const deletionDueAt = hardDeletionDueAt(now);
    await tx
      .updateTable('users')
      .set({ closed_at: now, hard_deletion_due_at: deletionDueAt })
      .where('id', '=', userId)
      .execute();
    await stopVerificationPolls(tx, userId);
    await purgeWhatIsNotNeeded(tx, userId);
    await tx
      .insertInto('data_requests')
      .values({
        id: newId(),
        user_id: userId,
        type: 'erasure',
        received_at: now,
        due_at: dataRequestDueAt(now),
      })
      .execute();
    return deletionDueAt;
  });
}

const stopVerificationPolls = (tx: Db, userId: string): Promise<unknown> =>
  tx
    .updateTable('provider_resources')
    .set({ next_poll_at: null })
    .where('user_id', '=', userId)
    .where('kind', '=', 'owner')
    .execute();

/**
 * Identity, bank details and everything about money are kept for the years that the law requires; also the subject at
 * the identity provider, by which a user who returns is told that the account is closed. What only served the app is
 * deleted: the name and address shown, the cached balance and deposit instructions, unused quotes, idempotency keys.
 */
async function purgeWhatIsNotNeeded(tx: Db, userId: string): Promise<void> {
  await tx
    .updateTable('users')
    .set({ display_name: '', email_sealed: null, balance_minor: null, balance_read_at: null })
    .where('id', '=', userId)
    .execute();
  await tx
    .updateTable('provider_accounts')
    .set({ deposit_instructions_sealed: null, deposit_instructions_sealed_at: null })
    .where('user_id', '=', userId)
    .execute();
  await tx.deleteFrom('idempotency_keys').where('user_id', '=', userId).execute();
  await tx
    .deleteFrom('pix_quotes')
    .where('user_id', '=', userId)
    .where('id', 'not in', sql<string>`(select quote_id from pix_payments where user_id = ${userId})`)
    .execute();
}
