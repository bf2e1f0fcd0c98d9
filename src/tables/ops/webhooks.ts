// The operators' list of callbacks.
import { sql } from 'kysely';
import { prepared } from '../prepared.ts';
import type { Entity } from '../rows.ts';

type WebhookEvent = Entity<'WebhookEvent'>;

type Shown = Pick<
  WebhookEvent,
  'id' | 'eventType' | 'status' | 'attempts' | 'transactionId' | 'receivedAt' | 'processedAt'
> & { why: WebhookEvent['outcome'] };

const columns = sql`id, event_type, status, outcome as why, attempts, transaction_id, received_at, processed_at`;

/**
 * Lists the newest callbacks: those that wait by the time of receipt, behind those that are processed by the time of processing. Each
 * order has an index.
 * @param except an outcome that is left out. Null to leave out none.
 */
export const listCallbacks = prepared.all(
  (
    _db,
    { statuses, except, limit }: { statuses: WebhookEvent['status'][]; except: string | null; limit: number },
  ) => sql<Shown>`
    (select ${columns} from webhook_events
      where status = 'received' and status = any(${statuses}::webhook_event_status[])
        and (${except}::text is null or outcome is distinct from ${except})
      order by received_at desc limit ${limit})
    union all
    (select ${columns} from webhook_events
      where processed_at is not null and status = any(${statuses}::webhook_event_status[])
        and (${except}::text is null or outcome is distinct from ${except})
      order by processed_at desc limit ${limit})`,
);
