// Queues a stored callback again that changed nothing, at an operator's request.

import type { Clock } from '../../../../src/domain/clock.ts';
import { auditOperator, type By } from '../../../../src/platform/audit/operator.ts';
import { inDbTransaction } from '../../../../src/platform/database/db-transaction.ts';
import type { Db } from '../../../../src/platform/database/orm.ts';
import { lockWebhookEventById, requeueWebhookEvent } from '../../../../src/platform/sql/webhook-events.ts';

/**
 * Queues a callback again.
 * @returns `applied` if the callback was already applied, so that there is nothing to replay; `removed` if its payload was removed
 *   because of its age.
 */
export function replayWebhook(
  { db, clock }: { db: Db; clock: Clock },
  eventId: string,
  by: By,
): Promise<'queued' | 'applied' | 'removed' | 'not_found'> {
  return inDbTransaction(db, async (tx) => {
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
      now: clock.now(),
    });
    return 'queued';
  });
}
