// Stored callbacks by their status, newest first.
import type { App } from '../../app.ts';
import type { webhookStatuses } from '../../entities/webhook-event.ts';
import { UNMAPPED_EVENT } from '../../webhooks/outcome.ts';
import { type Call, valuesOf } from '../command.ts';
import { age, oneLine } from '../format.ts';
import { paintState } from '../paint.ts';
import { type Column, printList } from '../table.ts';

export async function run({ app, out, options, limit }: Call): Promise<void> {
  const columns: Column<WebhookLine>[] = [
    { title: 'event', of: ({ id }) => id },
    { title: 'kind', of: ({ eventType }) => oneLine(eventType) },
    { title: 'status', of: ({ status }) => status, paint: ({ status }, style) => paintState(status, style) },
    { title: 'received', of: ({ receivedAt }) => age(receivedAt, out.now), alignRight: true },
    { title: 'attempts', of: ({ attempts }) => String(attempts), alignRight: true },
    { title: 'transaction', of: ({ transactionId }) => transactionId ?? '' },
    { title: 'reason', of: ({ why }) => why ?? '' },
  ];
  const statuses = valuesOf(options['status']);
  const rows = await webhooksIn(app, statuses, { all: options['all'] === true, limit: limit + 1 });
  printList({ out, limit }, columns, rows, `No callback is ${statuses.join(' or ')}.`);
}

type Status = (typeof webhookStatuses)[number];
type WebhookLine = {
  id: string;
  eventType: string;
  status: Status;
  why: string | null;
  attempts: number;
  transactionId: string | null;
  receivedAt: Date;
  processedAt: Date | null;
};

/** In the order of their ids, which is the order of arrival and has an index. */
const webhooksIn = (
  app: App,
  statuses: string[],
  { all, limit }: { all: boolean; limit: number },
): Promise<WebhookLine[]> =>
  app.db
    .selectFrom('webhook_events')
    .select([
      'id',
      'event_type as eventType',
      'status',
      'outcome as why',
      'attempts',
      'transaction_id as transactionId',
      'received_at as receivedAt',
      'processed_at as processedAt',
    ])
    .where('status', 'in', statuses as Status[])
    // Most callbacks are of kinds that the service does not use: the other side of our own orders.
    .$if(!all, (used) => used.where('outcome', 'is distinct from', UNMAPPED_EVENT))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
