// DELETE /me: marks the account closed, drops what is not needed, and schedules the rest for deletion. Repeatable.
import { type Handler, ok } from '../api/operation.ts';
import { newId } from '../domain/ids.ts';
import { dataRequestDueAt, hardDeletionDueAt } from '../domain/retention.ts';

export const closeAccount: Handler<'closeAccount'> = async ({ user }, app) => {
  const dueAt = await app.db.transaction().execute(async (tx) => {
    const { closed_at, hard_deletion_due_at } = await tx
      .selectFrom('users')
      .select(['closed_at', 'hard_deletion_due_at'])
      .where('id', '=', user.id)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow();
    if (closed_at !== null && hard_deletion_due_at !== null) return hard_deletion_due_at;

    const now = app.clock.now();
    const deletionDueAt = hardDeletionDueAt(now);
    await tx
      .updateTable('users')
      .set({ closed_at: now, hard_deletion_due_at: deletionDueAt, display_name: '', email_sealed: null })
      .where('id', '=', user.id)
      .execute();
    await tx
      .insertInto('data_requests')
      .values({
        id: newId(),
        user_id: user.id,
        type: 'erasure',
        received_at: now,
        due_at: dataRequestDueAt(now),
      })
      .execute();
    return deletionDueAt;
  });
  return ok({ status: 'closed', hardDeletionScheduledFor: dueAt.toISOString() });
};
