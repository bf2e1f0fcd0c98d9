// The provider's callbacks.
import { type RawBuilder, sql } from 'kysely';
import { prepared } from '../database/prepared.ts';
import type { Entity } from '../entities/rows.ts';
import { dueIn } from './work.ts';

type WebhookEvent = Entity<'WebhookEvent'>;

/** Each array has one value for each callback, in one order. */
type NewCallbacks = {
  ids: string[];
  providers: string[];
  externalIds: string[];
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
};

/**
 * Inserts the callbacks that were not stored before, and returns these. The user is found by the provider's id of what the callback
 * names, or by our handle of it, and kept while the callback waits.
 */
export const insertCallbacks = prepared.all(
  (_db, given: NewCallbacks) => sql<Pick<WebhookEvent, 'id' | 'userId'>>`
    insert into webhook_events
      (id, provider, external_id, event_type, payload_sealed, received_at, status, outcome, processed_at,
        leased_by, lease_token, due_at, user_id)
    select id, provider, external_id, event_type, payload_sealed, received_at, status, outcome, processed_at,
      leased_by, lease_token,
      case when status = 'received' then now() end,
      case when status = 'received' then coalesce(
        (select user_id from provider_resources where provider_ref = event.names_ref limit 1),
        (select user_id from provider_resources where handle = event.names_handle limit 1)
      ) end
    from unnest(
      ${given.ids}::uuid[],
      ${given.providers}::text[],
      ${given.externalIds}::text[],
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
    ) as event (id, provider, external_id, event_type, payload_sealed, received_at, status, outcome, processed_at,
      leased_by, lease_token, names_ref, names_handle)
    on conflict (provider, external_id) do nothing
    returning id, user_id`,
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

const closing = (transactionId: (given: Closing) => RawBuilder<string | null>) =>
  prepared.count((db, given: Closing) =>
    db
      .updateTable('WebhookEvent')
      .set({
        status: given.status,
        outcome: given.outcome,
        attempts: given.attempts,
        processedAt: given.processedAt,
        dueAt: null,
        leasedBy: null,
        userId: null,
        transactionId: transactionId(given),
      })
      .where('id', '=', given.id)
      .where('leaseToken', '=', given.leaseToken),
  );

/**
 * Records the outcome of a callback that names no object of the provider, money that moved, or a resource that we created. Returns 0 if
 * another process has the callback.
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
    .where('id', '=', given.id)
    .where('leaseToken', '=', given.leaseToken),
);
