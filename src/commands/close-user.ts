// Closing an account: marked, stripped of what is not needed, and scheduled for deletion, in one commit.
import type { App } from '../app.ts';
import { newId } from '../domain/ids.ts';
import { dataRequestDueAt, hardDeletionDueAt } from '../domain/retention.ts';

/** @returns when everything else will be deleted. A second closure changes nothing and returns the same moment. */
export function closeUser(app: App, userId: string): Promise<Date> {
  return app.db.transaction().execute(async (tx) => {
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
      .set({ closed_at: now, hard_deletion_due_at: deletionDueAt, display_name: '', email_sealed: null })
      .where('id', '=', userId)
      .execute();
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
