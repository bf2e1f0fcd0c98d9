// Stores callbacks, each once under its identity, in one statement for all that arrived together. A stored row is its own work.
import type { Db } from '../database/orm.ts';
import { createWriteBatcher } from '../database/write-batcher.ts';
import type { Entity } from '../entities/rows.ts';
import type { HandOff, Outbox } from '../outbox/hand-off.ts';
import type { Names } from '../provider/callback.ts';
import { insertCallbacks } from '../sql/webhook-events.ts';
import { UNMAPPED_EVENT } from './outcome.ts';

type WebhookEvent = Entity<'WebhookEvent'>;

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

function leased(row: WebhookEvent, { isMapped, payload }: StoredCallback, handOff: HandOff): WebhookEvent {
  if (!isMapped) return row;
  const lease = handOff.lease({
    kind: 'callback',
    id: row.id,
    userId: null,
    type: 'callback',
    committed: { callback: row, payload },
  });
  return Object.assign(row, lease && { leasedBy: lease.owner, leaseToken: lease.token });
}

const newRow = ({ isMapped, receivedAt, ...callback }: StoredCallback): WebhookEvent => ({
  id: callback.id,
  provider: callback.provider,
  externalId: callback.externalId,
  eventType: callback.eventType,
  payloadSealed: callback.payloadSealed,
  status: isMapped ? 'received' : 'ignored',
  outcome: isMapped ? null : UNMAPPED_EVENT,
  attempts: 0,
  dueAt: isMapped ? receivedAt : null,
  leasedBy: null,
  leaseToken: 0,
  userId: null,
  transactionId: null,
  receivedAt,
  processedAt: isMapped ? null : receivedAt,
});

type NewCallback = { callback: StoredCallback; row: WebhookEvent };

/** @returns the users of those that were not stored before, by the callbacks' ids. */
async function insertAll(db: Db, events: NewCallback[]): Promise<Map<string, string | null>> {
  const rows = events.map(({ row }) => row);
  const names = events.map(({ callback }) => callback.names);
  const stored = await insertCallbacks(db, {
    ids: rows.map(({ id }) => id),
    providers: rows.map(({ provider }) => provider),
    externalIds: rows.map(({ externalId }) => externalId),
    eventTypes: rows.map(({ eventType }) => eventType),
    payloadsSealed: rows.map(({ payloadSealed }) => payloadSealed),
    receivedAt: rows.map(({ receivedAt }) => receivedAt),
    statuses: rows.map(({ status }) => status),
    outcomes: rows.map(({ outcome }) => outcome),
    processedAt: rows.map(({ processedAt }) => processedAt),
    leasedBy: rows.map(({ leasedBy }) => leasedBy),
    leaseTokens: rows.map(({ leaseToken }) => leaseToken),
    providerRefs: names.map(({ providerRef }) => providerRef),
    handles: names.map(({ handle }) => handle),
  });
  return new Map(stored.map(({ id, userId }) => [id, userId]));
}
