// Stores callbacks, each once under its identity, with a job, in one statement for all that arrived together.
import { sql } from 'kysely';
import type { Db } from '../database/orm.ts';
import { createWriteBatcher } from '../database/write-batcher.ts';
import { UNMAPPED_EVENT } from './outcome.ts';

export type StoredCallback = {
  id: string;
  provider: string;
  externalId: string;
  eventType: string;
  payloadSealed: Buffer;
  receivedAt: Date;
  /** Unmapped events are stored without a job. */
  isMapped: boolean;
};

/** Resolves when the callback is committed; one that was stored before changes nothing. */
export type StoreCallback = (callback: StoredCallback) => Promise<void>;

const BATCH_SIZE = 50;
/** Larger ones go alone: together they would be longer than a statement's text can be (512 MiB, and each twice as hex). */
const MOST_BYTES_TOGETHER = 1024 * 1024;

export function createCallbackStore(db: Db): StoreCallback {
  const storeTogether = createWriteBatcher<StoredCallback>(
    (callbacks) => storeAll(db, callbacks),
    BATCH_SIZE,
  );
  return (callback) =>
    callback.payloadSealed.length > MOST_BYTES_TOGETHER ? storeAll(db, [callback]) : storeTogether(callback);
}

async function storeAll(db: Db, callbacks: StoredCallback[]): Promise<void> {
  const column = <Value>(value: (callback: StoredCallback) => Value): Value[] => callbacks.map(value);
  await sql`
    with arrived as (
      select * from unnest(
        ${column(({ id }) => id)}::uuid[],
        ${column(({ provider }) => provider)}::text[],
        ${column(({ externalId }) => externalId)}::text[],
        ${column(({ eventType }) => eventType)}::text[],
        ${column(({ payloadSealed }) => payloadSealed)}::bytea[],
        ${column(({ receivedAt }) => receivedAt)}::timestamptz[],
        ${column(({ isMapped }) => isMapped)}::boolean[]
      ) as callback (id, provider, external_id, event_type, payload_sealed, received_at, is_of_use)
    ),
    stored as (
      insert into webhook_events
        (id, provider, external_id, event_type, payload_sealed, received_at, status, outcome, processed_at)
      select id, provider, external_id, event_type, payload_sealed, received_at,
        case when is_of_use then 'received' else 'ignored' end,
        case when is_of_use then null else ${UNMAPPED_EVENT} end,
        case when is_of_use then null else received_at end
      from arrived
      on conflict (provider, external_id) do nothing
      returning id, status
    )
    select graphile_worker.add_job(
      'dispatchWebhook', json_build_object('eventId', id), job_key := 'webhook:' || id,
      -- The id is new, and so is the key: this way of putting it in costs a quarter.
      job_key_mode := 'unsafe_dedupe'
    ) from stored where status = 'received'
  `.execute(db);
}
