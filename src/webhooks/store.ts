// Stores callbacks, each once. All callbacks that arrive together are stored in one statement. The stored row is also the
// work (docs/decisions/0003-the-row-is-the-work.md).

import type { HandOff, Outbox } from '../outbox/hand-off.ts';
import { createRecentTime, DatabaseTime, type RecentTime } from '../platform/database/database-time.ts';
import { createWriteBatcher } from '../platform/database/write-batcher.ts';
import type { Names } from '../provider/callback.ts';
import type { Db } from '../tables/orm.ts';
import { listNamedUsers } from '../tables/provider-resources/statements.ts';
import type { Entity } from '../tables/rows.ts';
import { insertCallbacks, UNOWNED_TURN_EVERY_MS } from '../tables/webhook-events/statements.ts';
import { UNMAPPED_EVENT } from './outcome.ts';
import type { UnownedTurns } from './unowned.ts';

type WebhookEvent = Entity<'WebhookEvent'>;

export type StoredCallback = Pick<
  WebhookEvent,
  'id' | 'provider' | 'identity' | 'eventType' | 'payloadSealed' | 'receivedAt'
> & {
  /** False for an event that is not mapped: it is stored, and needs no further work. */
  isMapped: boolean;
  /** The ids by which the statement that stores the callback finds its user. */
  names: Names;
  /** The body as received, for processing the callback right after it is stored. */
  payload: Buffer;
  /** The provider's time of the change that the callback announces. Null if it has none. */
  announcedAt: Date | null;
};

/** Resolves when the callback is committed. A callback that was stored before changes nothing. */
export type StoreCallback = (callback: StoredCallback) => Promise<void>;

/** Told of each callback that was stored for the first time, after the commit. */
export type StoreObserver = {
  /** A callback names none of our resources. `unmapped`: nor does the service use events of its kind. */
  unknownStored: (kind: 'unmapped' | 'unowned', bytes: number) => void;
  /** A callback of one of our users arrived. @param ageMs the time since the change that it announces. */
  arrived: (ageMs: number) => void;
};

type StoreServices = { db: Db; outbox: Outbox; turns: UnownedTurns; recentTime: RecentTime };

const BATCH_SIZE = 50;
/**
 * Larger payloads are stored alone. Together they would exceed the maximum length of a statement's text (512 MiB; as
 * hex each takes twice its size).
 */
const MAX_BYTES_TOGETHER = 1024 * 1024;

export function createCallbackStore(
  db: Db,
  outbox: Outbox,
  turns: UnownedTurns,
  observer?: StoreObserver,
): StoreCallback {
  const recentTime = createRecentTime(db);
  const store = async (arrived: StoredCallback[]): Promise<void> => {
    const callbacks = firstOfEach(arrived);
    const users = await storeAll({ db, outbox, turns, recentTime }, callbacks);
    for (const { id, isMapped, payload, receivedAt, announcedAt } of callbacks) {
      const userId = users.get(id);
      if (userId === null) observer?.unknownStored(isMapped ? 'unowned' : 'unmapped', payload.length);
      else if (userId !== undefined && announcedAt !== null)
        observer?.arrived(receivedAt.getTime() - announcedAt.getTime());
    }
  };
  const storeTogether = createWriteBatcher<StoredCallback>(store, BATCH_SIZE);
  return (callback) =>
    callback.payloadSealed.length > MAX_BYTES_TOGETHER ? store([callback]) : storeTogether(callback);
}

/** The same callback may arrive twice at the same moment. It then has the same id. */
const firstOfEach = (callbacks: StoredCallback[]): StoredCallback[] => [
  ...new Map(callbacks.toReversed().map((callback) => [callback.id, callback])).values(),
];

/** Returns the user of each callback that was not stored before, by the callback's id. Null if it names none of our resources. */
async function storeAll(
  services: StoreServices,
  callbacks: StoredCallback[],
): Promise<Map<string, string | null>> {
  const handOff = services.outbox.handOff();
  // Rows are sorted by id, so two processes that store the same callbacks wait for one another without a deadlock.
  const rows = callbacks
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map((callback) => ({ callback, row: leased(newRow(callback), callback, handOff) }));
  try {
    const stored = await insertAll(services, rows);
    handOff.committed((work) => {
      const userId = stored.get(work.id);
      return userId === undefined ? null : { ...work, userId };
    });
    return stored;
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
  identity: callback.identity,
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

/** Returns whether a callback that names nothing of ours waits for its fetch in the table. */
const awaitsTurn = (row: WebhookEvent): boolean =>
  row.dueAt !== null && row.userId === null && row.leasedBy === null;

/** Inserts the callbacks. Returns the user of each callback that was not stored before, by the callback's id. */
async function insertAll(
  { db, turns, recentTime }: StoreServices,
  events: NewCallback[],
): Promise<Map<string, string | null>> {
  const owners = await listNamedUsers(db, namesOf(events.map(({ callback }) => callback.names)));
  const userOf = new Map(owners.map(({ name, userId }) => [name, userId]));
  const rows = events.map(({ callback: { names: named }, row }) => ({
    ...row,
    userId: userOf.get(named.providerRef ?? '') ?? userOf.get(named.handle ?? '') ?? null,
  }));
  // A callback of a user may be due a second early. A turn may not: its fetch would have to wait, and be planned again.
  const now = await (rows.some(awaitsTurn) ? DatabaseTime.read(db) : recentTime());
  let unownedTurns = 0;
  const dueAtOf = (row: WebhookEvent): Date | null => {
    if (row.dueAt === null) return null;
    if (!awaitsTurn(row)) return now.toDate();
    unownedTurns += 1;
    return now.plus(turns.lastInMs() + unownedTurns * UNOWNED_TURN_EVERY_MS).toDate();
  };
  const due = rows.map((row) => ({ ...row, dueAt: dueAtOf(row) }));
  const stored = await insertRows(db, due);
  turns.planned(due.filter((row) => stored.has(row.id) && awaitsTurn(row)).length);
  return new Map(due.flatMap(({ id, userId }) => (stored.has(id) ? [[id, userId]] : [])));
}

const namesOf = (names: StoredCallback['names'][]): { providerRefs: string[]; handles: string[] } => ({
  providerRefs: names.flatMap(({ providerRef }) => providerRef ?? []),
  handles: names.flatMap(({ handle }) => handle ?? []),
});

/** Inserts rows, and returns the ids of those that were not stored before. */
async function insertRows(db: Db, rows: WebhookEvent[]): Promise<Set<string>> {
  const stored = await insertCallbacks(db, {
    ids: rows.map(({ id }) => id),
    providers: rows.map(({ provider }) => provider),
    identities: rows.map(({ identity }) => identity),
    eventTypes: rows.map(({ eventType }) => eventType),
    payloadsSealed: rows.map(({ payloadSealed }) => payloadSealed),
    receivedAt: rows.map(({ receivedAt }) => receivedAt),
    statuses: rows.map(({ status }) => status),
    outcomes: rows.map(({ outcome }) => outcome),
    processedAt: rows.map(({ processedAt }) => processedAt),
    dueAt: rows.map(({ dueAt }) => dueAt),
    leasedBy: rows.map(({ leasedBy }) => leasedBy),
    leaseTokens: rows.map(({ leaseToken }) => leaseToken),
    // A callback takes its user's turn while it waits.
    userIds: rows.map(({ dueAt, userId }) => (dueAt ? userId : null)),
  });
  return new Set(stored.map(({ id }) => id));
}
