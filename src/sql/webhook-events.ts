// The provider's callbacks.
import { sql } from 'kysely';
import { prepared } from '../database/prepared.ts';

/** Makes the callbacks due that wait for their next attempt. */
export const bringCallbacksForward = prepared.count(
  () => sql`update webhook_events set due_at = now() where leased_by is null and due_at > now()`,
// The callbacks that the provider has sent.
import { sql } from 'kysely';
import { prepared } from '../database/prepared.ts';

/** The number of rows that one statement deletes is a literal in it. */
export const OLD_CALLBACKS_PAGE = 1_000;

/** Deletes a page of callbacks that were processed long ago and have no payload any more. */
export const deleteOldCallbacksPage = prepared.all(
  (_db, { until }: { until: Date }) => sql<{ processedAt: Date }>`
    delete from webhook_events
    where id in (
      select id from webhook_events
      where processed_at <= ${until} and payload_sealed = ''
      order by processed_at limit ${sql.lit(OLD_CALLBACKS_PAGE)}
      for update skip locked
    )
    returning processed_at`,
);

/**
 * Whether a payload that was received in this time is still stored. Unprocessed callbacks have an index of their own; a callback
 * is never processed before it is received.
 */
export const isPayloadStored = prepared.first(
  (_db, { from, to }: { from: Date; to: Date }) => sql<{ isStored: boolean }>`
    select exists (
      select from webhook_events
      where status in ('received', 'unmatched') and received_at >= ${from} and received_at < ${to}
        and octet_length(payload_sealed) > 0
    ) or exists (
      select from webhook_events
      where processed_at >= ${from} and received_at >= ${from} and received_at < ${to}
        and octet_length(payload_sealed) > 0
    ) as "isStored"`,
);

/** Small enough that no request waits for its row locks. It is a literal in the statement, so that the planner knows it. */
export const PAYLOADS_PAGE_SIZE = 500;

export type ProcessedCallback = {
  id: string;
  processedAt: Date;
  /** It still has its payload. */
  isHeld: boolean;
  /** Its transaction is unresolved. */
  isNeeded: boolean;
};

/** Lists a page of callbacks in the order of processing, which has an index. @param given the place of the last one before. */
export const listProcessedCallbacks = prepared.all(
  (_db, given: { until: Date; afterProcessedAt: string; afterId: string }) => sql<ProcessedCallback>`
    select event.id, event.processed_at,
      octet_length(event.payload_sealed) > 0 as "isHeld",
      coalesce(transaction.status in ('pending', 'settling'), false) as "isNeeded"
    from webhook_events as event
    left join transactions as transaction on transaction.id = event.transaction_id
    where event.processed_at <= ${given.until}
      and (event.processed_at, event.id) > (${given.afterProcessedAt}::timestamptz, ${given.afterId}::uuid)
    order by event.processed_at, event.id
    limit ${sql.lit(PAYLOADS_PAGE_SIZE)}`,
);

/** Removes the payloads. A callback that is locked, or has been requeued meanwhile, keeps its payload for another night. */
export const removePayloads = prepared.all(
  (_db, { ids, until }: { ids: string[]; until: Date }) => sql<{ id: string }>`
    update webhook_events set payload_sealed = ''
    where id in (
      select id from webhook_events where id = any(${ids}::uuid[]) and processed_at <= ${until}
      for no key update skip locked
    )
    returning id`,
);

export const lockWebhookEventById = prepared.first((db, { id }: { id: string }) =>
  db
    .selectFrom('WebhookEvent')
    .select(['status', sql<boolean>`payload_sealed = ''`.as('isRemoved')])
    .where('id', '=', id)
    .forNoKeyUpdate(),
);

/** Makes a callback due now, as if it had just been received. */
export const requeueWebhookEvent = prepared.count((db, { id }: { id: string }) =>
  db
    .updateTable('WebhookEvent')
    .set({ status: 'received', outcome: null, attempts: 0, processedAt: null, dueAt: sql<Date>`now()` })
    .where('id', '=', id),
);
