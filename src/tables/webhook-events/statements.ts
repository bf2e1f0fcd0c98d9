// The provider's callbacks.

import { type RawBuilder, sql } from 'kysely';
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
  leasedBy: (string | null)[];
  leaseTokens: number[];
  /** The provider's id of the object that the callback is about. */
  providerRefs: (string | null)[];
  /** Our handle of the same object. */
  handles: (string | null)[];
  /** The last turn that is planned for callbacks that name nothing of ours, in milliseconds from now. */
  lastTurnInMs: number;
};

/** The time between two turns of callbacks that name nothing of ours, in one process. */
export const UNOWNED_TURN_EVERY_MS = 1_000;

/**
 * Inserts the callbacks that were not stored before, and returns these. The user is found by the provider's id of what the callback
 * names, or by our handle of it, and kept if the callback waits. A callback without a user is planned for a turn, unless this process has
 * leased it. The payload stays with the callback until it is processed.
 */
export const insertCallbacks = prepared.all(
  (_db, given: NewCallbacks) => sql<Pick<WebhookEvent, 'id' | 'userId'>>`
    with event as (
      select *, coalesce(
        (select user_id from provider_resources where provider_ref = names_ref limit 1),
        (select user_id from provider_resources where handle = names_handle limit 1)
      ) as names_user
      from unnest(
        ${given.ids}::uuid[],
        ${given.providers}::text[],
        ${given.identities}::bytea[],
        ${given.eventTypes}::text[],
        ${given.payloadsSealed}::bytea[],
        ${given.receivedAt}::timestamptz[],
        ${given.statuses}::webhook_event_status[],
        ${given.outcomes}::text[],
        ${given.processedAt}::timestamptz[],
        ${given.leasedBy}::uuid[],
        ${given.leaseTokens}::int[],
        ${given.providerRefs}::uuid[],
        ${given.handles}::uuid[]
      ) as event (id, provider, identity, event_type, payload_sealed, received_at, status, outcome, processed_at,
        leased_by, lease_token, names_ref, names_handle)
    ), stored as (
      insert into webhook_events
        (id, provider, identity, event_type, payload_sealed, received_at, status, outcome, processed_at,
          leased_by, lease_token, due_at, user_id)
      select id, provider, identity, event_type,
        case when processed_at is null then payload_sealed else '' end,
        received_at, status, outcome, processed_at, leased_by, lease_token,
        case when status = 'received' then now() + make_interval(secs => case
          when names_user is null and leased_by is null
          then (${given.lastTurnInMs}::float8 + ${sql.lit(UNOWNED_TURN_EVERY_MS)} *
            row_number() over (partition by names_user is null and leased_by is null)) / 1000
          else 0
        end) end,
        case when status = 'received' then names_user end
      from event
      on conflict do nothing
      returning id
    ), archived as (
      insert into webhook_payloads (received_at, event_id, slot, payload_sealed)
      select received_at, id, ${slotOf(sql`received_at`)}, payload_sealed
      from event join stored using (id)
      where processed_at is not null
    )
    select id, names_user as "userId" from event join stored using (id)`,
);

export const findCallback = prepared.first((db, { id }: { id: string }) =>
  db.selectFrom('WebhookEvent').selectAll().where('id', '=', id),
);

type Leased = Pick<WebhookEvent, 'id' | 'leaseToken'>;

type Closing = Leased &
  Pick<WebhookEvent, 'status' | 'outcome' | 'attempts' | 'processedAt' | 'provider'> & {
    providerRef: string | null;
  };

/**
 * The id of the customer's transaction that a callback belongs to; null if there is none. The payload is kept at least until that
 * transaction is final.
 */
const transactionOf = {
  nothing: () => sql<string | null>`null`,
  movement: ({ provider, providerRef }) => sql<string | null>`(
    select id from transactions where provider = ${provider} and provider_ref = ${providerRef}::uuid
    limit 1
  )`,
  resource: ({ providerRef }) => sql<string | null>`(
    select coalesce(payment.transaction_id, withdraw.id)
    from provider_resources resource
    left join pix_payments payment on payment.id = resource.subject_id and payment.user_id = resource.user_id
    left join withdraws withdraw on withdraw.id = resource.subject_id and withdraw.user_id = resource.user_id
    where resource.provider_ref = ${providerRef}::uuid
    limit 1
  )`,
} satisfies Record<string, (given: Closing) => RawBuilder<string | null>>;

/**
 * The payload moves to the table of the day, unless the callback was received on an earlier day. Such a payload stays, because the
 * table of its day is emptied ninety days after that day, and a payload is kept for ninety days after processing. If the response to a
 * commit is lost, the same end is recorded twice. The payload has then moved already, and the second statement moves nothing.
 */
const closing = (transactionId: (given: Closing) => RawBuilder<string | null>) =>
  prepared.all(
    (_db, given: Closing) => sql<{ id: string }>`
      with closed as (
        update webhook_events
        set status = ${given.status}, outcome = ${given.outcome}, attempts = ${given.attempts},
          processed_at = ${given.processedAt}, due_at = null, leased_by = null, user_id = null,
          transaction_id = ${transactionId(given)},
          payload_sealed = case
            when received_at >= date_trunc('day', ${given.processedAt}::timestamptz, 'UTC') then '' else payload_sealed
          end
        where id = ${given.id} and lease_token = ${given.leaseToken}
        returning id, received_at, old.payload_sealed, new.payload_sealed <> old.payload_sealed as is_moved
      ), archived as (
        insert into webhook_payloads (received_at, event_id, slot, payload_sealed)
        select received_at, id, ${slotOf(sql`received_at`)}, payload_sealed from closed where is_moved
        on conflict do nothing
      )
      select id from closed`,
  );

/**
 * Records the outcome of a callback that names no object of the provider, money that moved, or a resource that we created. Returns no
 * row if another process has the callback.
 */
export const closeCallback = {
  nothing: closing(transactionOf.nothing),
  movement: closing(transactionOf.movement),
  resource: closing(transactionOf.resource),
};

/** Plans the next attempt. Returns 0 if another process has the callback. */
export const postponeCallback = prepared.count((db, given: Leased & { attempts: number; delayMs: number }) =>
  db
    .updateTable('WebhookEvent')
    .set({ attempts: given.attempts, dueAt: dueIn(given.delayMs), leasedBy: null })
    .where(equals(pick(given, 'id', 'leaseToken'))),
);

/** Makes the callbacks due that wait for their next attempt, but not those that wait for their first turn. */
export const bringCallbacksForward = prepared.count(
  () => sql`
    update webhook_events set due_at = now()
    where leased_by is null and due_at > now() and (user_id is not null or attempts > 0)`,
);

/** The number of rows that one statement deletes is a literal in it. */
export const OLD_CALLBACKS_PAGE = 1_000;

/** Deletes a page of callbacks that were processed long ago and have no payload any more. */
export const deleteOldCallbacksPage = prepared.all(
  (_db, { until }: { until: DatabaseTime }) => sql<{ processedAt: Date }>`
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

/** Removes the payloads. A callback that is locked, or was queued again meanwhile, keeps its payload for another night. */
export const removePayloads = prepared.count(
  (_db, { ids, until }: { ids: string[]; until: DatabaseTime }) => sql`
    update webhook_events set payload_sealed = ''
    where id in (
      select id from webhook_events where id = any(${ids}::uuid[]) and processed_at <= ${until}
      for no key update skip locked
    )`,
);

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
