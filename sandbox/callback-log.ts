// Keeps the callbacks of this run in memory: stored, sent, answered, lost. The store forgets a callback that the receiver accepted.
// The console shows it and can send it again. A callback costs no extra SQL statement.

export type CallbackResource = 'accounts' | 'transfers' | 'payouts';
export type CallbackState = 'waiting' | 'sending' | 'delivered' | 'lost' | 'abandoned';

export interface Attempt {
  at: number;
  /** The status of the receiver's answer. Null if none arrived. */
  status: number | null;
  ms: number;
}

export interface LoggedCallback {
  id: number;
  /** The callback's row in the outbox, while it has one. A delivered callback keeps its row until the row is deleted. */
  row: number | null;
  event: string;
  resource: CallbackResource;
  uuid: string;
  body: string;
  createdAt: number;
  /** When the callback is sent next, while it waits. */
  dueAt: number;
  state: CallbackState;
  attempts: Attempt[];
  /** Increases with each change of any callback, so it shows which of two changes came later. */
  version: number;
}

export type NewCallback = Pick<LoggedCallback, 'event' | 'resource' | 'uuid' | 'body' | 'createdAt'>;

export type CallbackLog = ReturnType<typeof createCallbackLog>;

/** The number of callbacks kept. Beyond it, the oldest are forgotten. */
const KEPT = 500;

export function createCallbackLog() {
  const entries = new Map<number, LoggedCallback>();
  const byRow = new Map<number, LoggedCallback>();
  const listeners = new Set<() => void>();
  let ids = 0;
  let version = 0;

  const touched = (entry: LoggedCallback) => {
    entry.version = ++version;
    for (const listener of listeners) listener();
  };
  const forget = (entry: LoggedCallback) => {
    entries.delete(entry.id);
    if (entry.row !== null && byRow.get(entry.row) === entry) byRow.delete(entry.row);
  };
  const add = (row: number | null, dueAt: number, state: CallbackState, callback: NewCallback) => {
    const entry: LoggedCallback = { ...callback, id: ++ids, row, dueAt, state, attempts: [], version: 0 };
    entries.set(entry.id, entry);
    if (row !== null) byRow.set(row, entry);
    const [oldest] = entries.values();
    if (oldest && entries.size > KEPT) forget(oldest);
    touched(entry);
    return entry;
  };

  return {
    /** Adds a callback that is in the outbox now. Its row number may have been used before. */
    stored(row: number, dueAt: number, callback: NewCallback): LoggedCallback {
      // The earlier transaction was rolled back, otherwise its row number would not be free again.
      const undone = byRow.get(row);
      if (undone) forget(undone);
      return add(row, dueAt, 'waiting', callback);
    },
    /** Adds a callback that never was in the outbox. */
    lost: (callback: NewCallback): void => void add(null, callback.createdAt, 'lost', callback),
    /** Changes what is known of a callback. Returns undefined if the callback was forgotten. */
    change(id: number, change: Partial<LoggedCallback>): LoggedCallback | undefined {
      const entry = entries.get(id);
      if (!entry) return undefined;
      Object.assign(entry, change);
      if (entry.row !== null) byRow.set(entry.row, entry);
      touched(entry);
      return entry;
    },
    rowDeleted(row: number): void {
      const entry = byRow.get(row);
      byRow.delete(row);
      // No page shows the row, so pages do not see a change.
      if (entry?.row === row) entry.row = null;
    },
    ofRow: (row: number): LoggedCallback | undefined => byRow.get(row),
    get: (id: number): LoggedCallback | undefined => entries.get(id),
    /** Lists the callbacks, newest first. */
    list: (): LoggedCallback[] => [...entries.values()].toReversed(),
    version: (): number => version,
    /**
     * Calls `listener` after each change.
     * @returns a function that unsubscribes it.
     */
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export interface CallbackRow {
  id: number;
  due_at: number;
  attempts: number;
  created_at: number;
  resource: CallbackResource;
  uuid: string;
  body: string;
}

/** Returns the callback of a row. If it is from a former run or was forgotten, it is added again. */
export function loggedCallback(log: CallbackLog, row: CallbackRow): LoggedCallback {
  const logged = log.ofRow(row.id);
  if (logged) return logged;
  const { resource, uuid, body } = row;
  const { event } = JSON.parse(body) as { event: string };
  return log.stored(row.id, row.due_at, { event, resource, uuid, body, createdAt: row.created_at });
}
