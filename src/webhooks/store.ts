// Stores callbacks, each once under its identity, in one statement for all that arrived together. A stored row is its own work.
import { sql } from 'kysely';
import type { Db } from '../database/orm.ts';
import { createWriteBatcher } from '../database/write-batcher.ts';
import type { WebhookEventRow } from '../entities/rows.ts';
import type { HandOff, Outbox } from '../outbox/transaction.ts';
import type { Names } from '../provider/callback.ts';
import { UNMAPPED_EVENT } from './outcome.ts';

export type StoredCallback = {
  id: string;
  provider: string;
  externalId: string;
  eventType: string;
  payloadSealed: Buffer;
  receivedAt: Date;
  /** Unmapped events are stored, and nothing is left to do about them. */
  isMapped: boolean;
  /** By which the statement that stores it finds its user. */
  names: Names;
  /** As it came, for processing it right after it is stored. */
  payload: Buffer;
};

/** Resolves when the callback is committed; one that was stored before changes nothing. */
export type StoreCallback = (callback: StoredCallback) => Promise<void>;

const BATCH_SIZE = 50;
/** Larger ones go alone: together they would be longer than a statement's text can be (512 MiB, and each twice as hex). */
const MOST_BYTES_TOGETHER = 1024 * 1024;

export function createCallbackStore(db: Db, outbox: Outbox): StoreCallback {
  const storeTogether = createWriteBatcher<StoredCallback>(
    (callbacks) => storeAll(db, outbox, callbacks),
    BATCH_SIZE,
  );
  return (callback) =>
    callback.payloadSealed.length > MOST_BYTES_TOGETHER
      ? storeAll(db, outbox, [callback])
      : storeTogether(callback);
}

async function storeAll(db: Db, outbox: Outbox, callbacks: StoredCallback[]): Promise<void> {
  const handOff = outbox.handOff();
  // In the order of their identities: two processes that store the same callbacks wait for one another, never in a circle.
  const rows = callbacks
    .toSorted((a, b) => (a.externalId < b.externalId ? -1 : 1))
    .map((callback) => ({ callback, row: leased(newRow(callback), callback, handOff) }));
  try {
    const stored = await insertAll(db, rows);
    handOff.committed((work) => {
      const userId = stored.get(work.id);
      return userId === undefined ? null : { ...work, userId };
    });
  } catch (error) {
    handOff.failed();
    throw error;
  }
}

function leased(
  row: WebhookEventRow,
  { isMapped, payload }: StoredCallback,
  handOff: HandOff,
): WebhookEventRow {
  if (!isMapped) return row;
  const lease = handOff.lease({
    kind: 'callback',
    id: row.id,
    userId: null,
    type: 'callback',
    committed: { callback: row, payload },
  });
  return Object.assign(row, lease && { leased_by: lease.owner, lease_token: lease.token });
}

const newRow = ({ isMapped, receivedAt, ...callback }: StoredCallback): WebhookEventRow => ({
  id: callback.id,
  provider: callback.provider,
  external_id: callback.externalId,
  event_type: callback.eventType,
  payload_sealed: callback.payloadSealed,
  status: isMapped ? 'received' : 'ignored',
  outcome: isMapped ? null : UNMAPPED_EVENT,
  attempts: 0,
  due_at: isMapped ? receivedAt : null,
  leased_by: null,
  lease_token: 0,
  user_id: null,
  transaction_id: null,
  received_at: receivedAt,
  processed_at: isMapped ? null : receivedAt,
});

type NewCallback = { callback: StoredCallback; row: WebhookEventRow };

/**
 * The user is found by the provider's id of what the callback names, or by our handle of it, and kept while the callback waits.
 * @returns the users of those that were not stored before, by the callbacks' ids.
 */
async function insertAll(db: Db, events: NewCallback[]): Promise<Map<string, string | null>> {
  const column = <Value>(value: (row: WebhookEventRow, callback: StoredCallback) => Value): Value[] =>
    events.map(({ row, callback }) => value(row, callback));
  const { rows } = await sql<{ id: string; user_id: string | null }>`
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
      ${column(({ id }) => id)}::uuid[],
      ${column(({ provider }) => provider)}::text[],
      ${column(({ external_id }) => external_id)}::text[],
      ${column(({ event_type }) => event_type)}::text[],
      ${column(({ payload_sealed }) => payload_sealed)}::bytea[],
      ${column(({ received_at }) => received_at)}::timestamptz[],
      ${column(({ status }) => status)}::webhook_event_status[],
      ${column(({ outcome }) => outcome)}::text[],
      ${column(({ processed_at }) => processed_at)}::timestamptz[],
      ${column(({ leased_by }) => leased_by)}::uuid[],
      ${column(({ lease_token }) => lease_token)}::int[],
      ${column((_row, { names }) => names.providerRef)}::uuid[],
      ${column((_row, { names }) => names.handle)}::uuid[]
    ) as event (id, provider, external_id, event_type, payload_sealed, received_at, status, outcome, processed_at,
      leased_by, lease_token, names_ref, names_handle)
    on conflict (provider, external_id) do nothing
    returning id, user_id
  `.execute(db);
  return new Map(rows.map(({ id, user_id: userId }) => [id, userId]));
}
