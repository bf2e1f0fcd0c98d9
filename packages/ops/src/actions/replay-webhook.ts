// Queues a stored callback again that changed nothing.

import type { Clock } from '../../../../src/domain/clock.ts';
import { inDbTransaction } from '../../../../src/platform/database/db-transaction.ts';
import type { Db } from '../../../../src/platform/database/orm.ts';
import { auditOperator, type By } from '../../../../src/platform/security/audit-operator.ts';
import { lockWebhookEventById, requeueWebhookEvent } from '../../../../src/platform/sql/webhook-events.ts';
import { type CommandCall, type CommandSpec, OpsFailure } from '../command.ts';
import { printResult } from '../output.ts';

export const webhooksReplayCommand: CommandSpec = {
  name: 'webhooks replay',
  summary: 'process a stored callback once more',
  argument: { name: 'webhookEventId', form: 'uuid' },
  run,
};

async function run({ app, out, argument: id, operator, reason }: CommandCall): Promise<void> {
  const outcome = await replayWebhook(app, id, { operator, reason });
  if (outcome === 'not_found') throw new OpsFailure(`There is no callback ${id}.`);
  if (outcome === 'removed')
    throw new OpsFailure(
      `The payload of callback ${id} was removed: it was processed more than 90 days ago.`,
    );
  printResult(
    out,
    outcome === 'queued'
      ? {
          changed: true,
          sentence: 'The callback is queued; its resource is fetched again from the provider.',
        }
      : { changed: false, sentence: 'The callback was applied before.' },
  );
}

/**
 * Queues a callback again.
 * @returns `applied` if the callback was already applied, so that there is nothing to replay; `removed` if its payload was removed
 *   because of its age.
 */
function replayWebhook(
  { db, clock }: { db: Db; clock: Clock },
  eventId: string,
  by: By,
): Promise<'queued' | 'applied' | 'removed' | 'not_found'> {
  return inDbTransaction(db, async (tx) => {
    const event = await lockWebhookEventById(tx, { id: eventId });
    if (!event) return 'not_found';
    if (event.status === 'applied') return 'applied';
    if ((await requeueWebhookEvent(tx, { id: eventId })) === 0) return 'removed';
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
