// The provider's callbacks.

import { sql } from 'kysely';
import type { DatabaseTime } from '../../platform/database/database-time.ts';
import { pick } from '../../platform/database/prepared.ts';
import { equals, prepared } from '../prepared.ts';
import { type Entity } from '../rows.ts';
import { slotOf } from '../webhook-payloads/statements.ts';
import { dueIn } from '../work.ts';

type WebhookEvent = Entity<'WebhookEvent'>;

/** Each array has one value for each callback, in one order. */
type NewCallbacks = {
  ids: string[];
  providers: string[];
  identities: Uint8Array[];
  eventTypes: string[];
  payloadsSealed: Uint8Array[];
  receivedAt: Date[];
  statuses: WebhookEvent['status'][];
  outcomes: (string | null)[];
  processedAt: (Date | null)[];
  dueAt: (Date | null)[];
  leasedBy: (string | null)[];
  leaseTokens: number[];
  userIds: (string | null)[];
};

/** The time between two turns of callbacks that name nothing of ours, in one process. */
export const UNOWNED_TURN_EVERY_MS = 1_000;

/**
 * Inserts the callbacks that were not stored before, and returns their ids. The payload stays with the callback until it is processed.
 */
export const insertCallbacks = prepared.all(
  (_db, params: NewCallbacks) => sql<Pick<WebhookEvent, 'id'>>`
    with event as (
      select * from unnest(
        ${params.ids}::uuid[],
        ${params.providers}::text[],
        ${params.identities}::bytea[],
        ${params.eventTypes}::text[],
        ${params.payloadsSealed}::bytea[],
        ${params.receivedAt}::timestamptz[],
        ${params.statuses}::webhook_event_status[],
        ${params.outcomes}::text[],
        ${params.processedAt}::timestamptz[],
        ${params.dueAt}::timestamptz[],
        ${params.leasedBy}::uuid[],
        ${params.leaseTokens}::int[],
        ${params.userIds}::uuid[]
      ) as event (id, provider, identity, event_type, payload_sealed, received_at, status, outcome, processed_at,
        due_at, leased_by, lease_token, user_id)
    ), stored as (
      insert into webhook_events
        (id, provider, identity, event_type, payload_sealed, received_at, status, outcome, processed_at,
          due_at, leased_by, lease_token, user_id)
      select id, provider, identity, event_type, case when processed_at is null then payload_sealed else '' end,
        received_at, status, outcome, processed_at, due_at, leased_by, lease_token, user_id
      from event
      on conflict do nothing
      returning id
    ), archived as (
      insert into webhook_payloads (received_at, event_id, slot, payload_sealed)
      select received_at, id, ${slotOf(sql`received_at`)}, payload_sealed
      from event join stored using (id)
      where processed_at is not null
    )
    select id from stored`,
);

export const findCallback = prepared.first((db, { id }: { id: string }) =>
  db.selectFrom('WebhookEvent').selectAll().where('id', '=', id),
);

type Leased = Pick<WebhookEvent, 'id' | 'leaseToken'>;

type Closing = Leased &
  Pick<WebhookEvent, 'status' | 'outcome' | 'attempts' | 'processedAt' | 'transactionId'>;

/**
 * Records the outcome of a callback. Returns no row if another process has the callback. The payload is kept at least until the
 * transaction that the callback belongs to is final. It moves to the table of the day, unless the callback was received on an earlier
 * day. Such a payload stays, because the table of its day is emptied ninety days after that day, and a payload is kept for ninety days
 * after processing. If the response to a commit is lost, the same end is recorded twice. The payload has then moved already, and the
 * second statement moves nothing.
 */
export const closeCallback = prepared.all(
  (_db, params: Closing) => sql<{ id: string }>`
    with closed as (
      update webhook_events
      set status = ${params.status}, outcome = ${params.outcome}, attempts = ${params.attempts},
        processed_at = ${params.processedAt}, due_at = null, leased_by = null, user_id = null,
        transaction_id = ${params.transactionId},
        payload_sealed = case
          when received_at >= date_trunc('day', ${params.processedAt}::timestamptz, 'UTC') then '' else payload_sealed
        end
      where id = ${params.id} and lease_token = ${params.leaseToken}
      returning id, received_at, old.payload_sealed, new.payload_sealed <> old.payload_sealed as is_moved
    ), archived as (
      insert into webhook_payloads (received_at, event_id, slot, payload_sealed)
      select received_at, id, ${slotOf(sql`received_at`)}, payload_sealed from closed where is_moved
      on conflict do nothing
    )
    select id from closed`,
);

/** Plans the next attempt. Returns 0 if another process has the callback. */
export const postponeCallback = prepared.count((db, params: Leased & { attempts: number; delayMs: number }) =>
  db
    .updateTable('WebhookEvent')
    .set({ attempts: params.attempts, dueAt: dueIn(params.delayMs), leasedBy: null })
    .where(equals(pick(params, 'id', 'leaseToken'))),
);

/** Makes the callbacks due that wait for their next attempt, but not those that wait for their first turn. */
export const bringCallbacksForward = prepared.count(
  () => sql`
    update webhook_events set due_at = now()
    where leased_by is null and due_at > now() and (user_id is not null or attempts > 0)`,
);

/** The number of rows that one statement lists is a literal in it. */
export const OLD_CALLBACKS_PAGE = 1_000;

/** Lists a page of callbacks that were processed long ago and have no payload any more. */
export const listOldCallbacks = prepared.all(
  (_db, { until }: { until: DatabaseTime }) => sql<{ id: string; processedAt: Date }>`
    select id, processed_at from webhook_events
    where processed_at <= ${until} and payload_sealed = ''
    order by processed_at limit ${sql.lit(OLD_CALLBACKS_PAGE)}`,
);

/** Deletes callbacks, unless they were queued again meanwhile. */
export const deleteOldCallbacks = {
  together: prepared.count(
    (_db, { ids, until }: { ids: string[]; until: DatabaseTime }) => sql`
      delete from webhook_events where id = any(${ids}::uuid[]) and processed_at <= ${until}`,
  ),
  /** Deletes one, unless it is locked. */
  each: prepared.count(
    (_db, { id, until }: { id: string; until: DatabaseTime }) => sql`
      delete from webhook_events where id = ${id} and id = (
        select id from webhook_events where id = ${id} and processed_at <= ${until} for update skip locked
      )`,
  ),
};

/**
 * Whether a payload that was received in this time is still stored. Unprocessed callbacks have an index of their own; a callback
 * is never processed before it is received.
 */
export const isPayloadStored = prepared.first(
  (_db, { from, to }: { from: Date; to: Date }) => sql<{ isStored: boolean }>`
    select exists (
      select 1 from webhook_events
      where status in ('received', 'unmatched') and received_at >= ${from} and received_at < ${to}
        and octet_length(payload_sealed) > 0
    ) or exists (
      select 1 from webhook_events
      where processed_at >= ${from} and received_at >= ${from} and received_at < ${to}
        and octet_length(payload_sealed) > 0
    ) or exists (
      select 1 from webhook_payloads
      where received_at >= ${from} and received_at < ${to}
    ) as "isStored"`,
);

/** The page size, small enough that no request waits for its row locks. It is a literal in the statement for the query planner. */
export const PAYLOADS_PAGE_SIZE = 500;

type KeptPayload = { id: string; processedAt: Date; transactionId: string | null };

/** Lists a page of the processed callbacks with a payload, the earliest first, behind one callback. */
export const listKeptPayloads = prepared.all(
  (_db, after: { until: DatabaseTime; afterProcessedAt: string; afterId: string }) => sql<KeptPayload>`
    select id, processed_at, transaction_id from webhook_events
    where processed_at <= ${after.until} and octet_length(payload_sealed) > 0
      and (processed_at, id) > (${after.afterProcessedAt}::timestamptz, ${after.afterId}::uuid)
    order by processed_at, id
    limit ${sql.lit(PAYLOADS_PAGE_SIZE)}`,
);

/** Removes the payloads of callbacks, unless they were queued again meanwhile. */
export const removePayloads = {
  together: prepared.count(
    (_db, { ids, until }: { ids: string[]; until: DatabaseTime }) => sql`
      update webhook_events set payload_sealed = '' where id = any(${ids}::uuid[]) and processed_at <= ${until}`,
  ),
  /** Removes one, unless it is locked. */
  each: prepared.count(
    (_db, { id, until }: { id: string; until: DatabaseTime }) => sql`
      update webhook_events set payload_sealed = '' where id = ${id} and id = (
        select id from webhook_events where id = ${id} and processed_at <= ${until} for no key update skip locked
      )`,
  ),
};

export const lockWebhookEventById = prepared.first((db, { id }: { id: string }) =>
  db.selectFrom('WebhookEvent').select('status').where('id', '=', id).forNoKeyUpdate(),
);

/**
 * Makes a callback due now, as if it had just been received. Its payload moves back to it. Returns 0 if the payload was removed, because
 * the callback can then not be processed.
 */
export const requeueWebhookEvent = prepared.count(
  (_db, { id }: { id: string }) => sql`
    with taken as (
      delete from webhook_payloads as payload using webhook_events as event
      where event.id = ${id} and payload.received_at = event.received_at and payload.event_id = event.id
        and payload.slot = ${slotOf(sql`event.received_at`)}
      returning payload.payload_sealed
    )
    update webhook_events
    set status = 'received', outcome = null, attempts = 0, processed_at = null, due_at = now(),
      payload_sealed = coalesce((select payload_sealed from taken), payload_sealed)
    where id = ${id} and (payload_sealed <> '' or exists (select from taken))`,
);
