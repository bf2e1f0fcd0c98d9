// Queues a stored callback again that changed nothing.

import { lockWebhookEventById, requeueWebhookEvent } from '../../src/tables/webhook-events/statements.ts';
import { audit, changed, inOneCommit, unchanged } from '../action.ts';
import { type CommandSpec, OpsFailure } from '../command.ts';

export const webhooksReplayCommand: CommandSpec = {
  name: 'webhooks replay',
  summary: 'process a stored callback once more',
  argument: { name: 'webhookEventId', form: 'uuid' },
  run: inOneCommit(async (tx, call) => {
    const { argument: id } = call;
    const event = await lockWebhookEventById(tx, { id });
    if (!event) throw new OpsFailure(`There is no callback ${id}.`);
    if (event.status === 'applied') return unchanged('The callback was applied before.');
    if ((await requeueWebhookEvent(tx, { id })) === 0)
      throw new OpsFailure(
        `The payload of callback ${id} was removed: it was processed more than 90 days ago.`,
      );
    await audit(tx, call, { target: id, userId: null });
    return changed('The callback is queued; its resource is fetched again from the provider.');
  }),
};
