// A stored callback that changed nothing is processed once more, because an operator asks for it.
import type { App } from '../../app.ts';
import { auditOperator, type By } from '../../audit/operator.ts';
import { inTransaction } from '../../database/transaction.ts';
import { lockWebhookEventById, requeueWebhookEvent } from '../../sql/webhook-events.ts';

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
    const event = await lockWebhookEventById(tx, { id: eventId });
    if (!event) return 'not_found';
    if (event.status === 'applied') return 'applied';
    if (event.isRemoved) return 'removed';
    await requeueWebhookEvent(tx, { id: eventId });
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
