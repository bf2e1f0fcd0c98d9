// A stored callback that changed nothing is processed once more, because an operator asks for it.
import { sql } from 'kysely';
import type { App } from '../../app.ts';
import { auditOperator, type By } from '../../audit/operator.ts';
import { inTransaction } from '../../database/transaction.ts';

/**
 * @returns `applied` for a callback that was applied: there is nothing to replay; `removed` for one whose payload was
 *   removed for its age.
 */
export function replayWebhook(
  app: App,
  eventId: string,
  by: By,
): Promise<'queued' | 'applied' | 'removed' | 'not_found'> {
  return inTransaction(app.db, async (tx) => {
    const event = await tx
      .selectFrom('webhook_events')
      .select(['status', sql<boolean>`payload_sealed = ''`.as('isRemoved')])
      .where('id', '=', eventId)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!event) return 'not_found';
    if (event.status === 'applied') return 'applied';
    if (event.isRemoved) return 'removed';
    await tx
      .updateTable('webhook_events')
      .set({ status: 'received', outcome: null, attempts: 0, processed_at: null, due_at: sql<Date>`now()` })
      .where('id', '=', eventId)
      .execute();
    await auditOperator(tx, {
      ...by,
      action: 'webhooks replay',
      target: eventId,
      userId: null,
      now: app.clock.now(),
    });
    return 'queued';
  });
}
