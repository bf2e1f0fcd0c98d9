// The work in this process's memory: every piece that this process has leased, from the lease until its outcome is recorded. It knows
// which piece starts next, and how much more may be claimed. It never reads the database.
import { createFairQueue } from '../platform/concurrency/fair-queue.ts';
import type { Release } from '../platform/concurrency/shares.ts';
import type { Work } from './work.ts';
import { createWorkShares, type Origin, origins, slotsPerUser } from './work-shares.ts';

/** If no work has started for this long and no slot is free, calls are stuck. The queued work is released to other processes. */
const STUCK_AFTER_MS = 2_000;
/** A call to the provider that takes longer holds up its work. It is less than the wait that counts as an overload (overload.ts). */
const HELD_UP_AFTER_MS = 250;
/** Committed work that may be queued, for each slot. Work that is committed beyond this limit stays due in the table. */
const QUEUED_PER_SLOT = 4;

/** Urgent work starts before ordinary work. */
const urgencies = ['urgent', 'ordinary'] as const;
export type Urgency = (typeof urgencies)[number];

/**
 * `committing`: leased by a database transaction that has not ended. `queued`: waiting for a slot. `running`: its handler runs.
 * `unrecorded`: its outcome could not be recorded.
 */
export type LocalState = 'committing' | 'queued' | 'running' | 'unrecorded';

export type LocalPiece = {
  work: Work;
  /** The id of the process when it leased the work. A process that was declared dead gets a new id. */
  owner: string;
  origin: Origin;
  state: LocalState;
  /** When the piece reached its state `committing` or `queued`, on `performance.now()`. */
  sinceMs: number;
  /** When unrecorded work runs again, on `performance.now()`. */
  retryAtMs?: number;
  /** Since when running work waits for the provider, on `performance.now()`. Null while it does not. */
  callingSinceMs: number | null;
};

export type LocalWork = {
  /**
   * Keeps a place for work that is about to be committed. Returns false if no place is left for it or for its user. It also returns
   * false if its row is in memory already: a callback that is sent again has the same id.
   */
  reserve: (work: Work, owner: string) => boolean;
  queue: (origin: Origin, work: Work, owner: string) => void;
  /** Takes the next piece that may start, with a slot for it. Returns null if none may start. */
  startNext: () => { piece: LocalPiece; releaseSlot: Release } | null;
  find: (id: string) => LocalPiece | undefined;
  all: () => LocalPiece[];
  /** Removes a piece. A later lease of the same row stays. */
  remove: (piece: LocalPiece) => void;
  removeIds: (ids: string[]) => void;
  /** Returns whether as much of this user's work is in memory and not running as one user may have. */
  isUserAtLimit: (userId: string | null) => boolean;
  /**
   * How much more may be claimed. It is more than the free slots, because a claim costs the same for one row and for many. Queued work
   * that waits for its user's or its type's limit is not counted.
   */
  roomToClaim: (urgency: Urgency) => number;
  /** Users and work types at their limit, counting queued work. Claims exclude them. */
  usersAtLimit: () => string[];
  typesAtLimit: () => string[];
  /** Returns whether work of this type cannot start because the work that has its slots waits for the provider. */
  isHeldUp: (type: string) => boolean;
  clearQueues: () => Work[];
  /** Removes the work that is queued behind stuck calls and returns it. */
  clearStuckQueues: () => Work[];
  /** Removes everything: this process has lost its leases. */
  clear: () => void;
};

/** @param slots how many pieces this process runs concurrently, at least 1. */
export function createLocalWork(slots: number): LocalWork {
  const pieces = new Map<string, LocalPiece>();
  const shares = createWorkShares(slots);
  const queues = { handed_off: createQueues(), claimed: createQueues() };
  const lastStartedAt: Record<Origin, number> = {
    handed_off: performance.now(),
    claimed: performance.now(),
  };

  const put = (origin: Origin, state: LocalState, work: Work, owner: string): void => {
    pieces.set(work.id, { work, owner, origin, state, sinceMs: performance.now(), callingSinceMs: null });
  };
  const all = (): LocalPiece[] => [...pieces.values()];
  const queued = (origin: Origin): Work[] => urgencies.flatMap((urgency) => queues[origin][urgency].items());
  const isStuck = (origin: Origin): boolean =>
    shares.free(origin) === 0 && performance.now() - lastStartedAt[origin] > STUCK_AFTER_MS;

  const isUserAtLimit = (userId: string | null): boolean =>
    userId !== null &&
    all().filter(({ work, state }) => work.userId === userId && state !== 'running').length >=
      slotsPerUser(slots);

  const nextOf = (origin: Origin, urgency: Urgency): LocalPiece | null => {
    for (;;) {
      const work = queues[origin][urgency].next((one) => shares.mayBegin(origin, one));
      if (work === null) return null;
      const piece = pieces.get(work.id);
      // The row was leased again, or removed, while this lease was queued.
      if (piece?.work === work) return piece;
    }
  };

  const start = (piece: LocalPiece): Release => {
    piece.state = 'running';
    // Urgent work may start while all ordinary slots are stuck.
    if (shares.free(piece.origin) > 0) lastStartedAt[piece.origin] = performance.now();
    return shares.begin(piece.origin, piece.work);
  };

  const clearQueuesOf = (origin: Origin): Work[] => {
    const works = urgencies.flatMap((urgency) => queues[origin][urgency].clear());
    for (const { id } of works) pieces.delete(id);
    return works;
  };

  return {
    reserve: (work, owner) => {
      if (pieces.has(work.id)) return false;
      const waiting = all().filter(
        ({ origin, state }) => origin === 'handed_off' && (state === 'committing' || state === 'queued'),
      );
      if (waiting.length >= QUEUED_PER_SLOT * slots || isUserAtLimit(work.userId)) return false;
      put('handed_off', 'committing', work, owner);
      return true;
    },
    queue: (origin, work, owner) => {
      put(origin, 'queued', work, owner);
      queues[origin][work.isUrgent ? 'urgent' : 'ordinary'].add(work);
    },
    startNext: () => {
      for (const urgency of urgencies)
        for (const origin of origins) {
          const piece = nextOf(origin, urgency);
          if (piece !== null) return { piece, releaseSlot: start(piece) };
        }
      return null;
    },
    find: (id) => pieces.get(id),
    all,
    remove: (piece) => {
      if (pieces.get(piece.work.id) === piece) pieces.delete(piece.work.id);
    },
    removeIds: (ids) => {
      for (const id of ids) pieces.delete(id);
    },
    isUserAtLimit,
    roomToClaim: (urgency) => {
      if (isStuck('claimed')) return urgency === 'urgent' ? shares.freeForUrgent() : 0;
      const soon = queues.claimed[urgency].items().filter(shares.isWithinShares).length;
      return soon > slots / 2 ? 0 : slots - soon;
    },
    usersAtLimit: () => shares.usersAtLimit(queued('claimed')),
    typesAtLimit: () => shares.typesAtLimit(queued('claimed')),
    isHeldUp: (type) => {
      if (origins.some((origin) => shares.mayBegin(origin, { type, userId: null }))) return false;
      const running = all().filter(({ state }) => state === 'running');
      const holders = shares.typesAtLimit().includes(type)
        ? running.filter(({ work }) => work.type === type)
        : running;
      return 2 * holders.filter(waitsForProvider).length >= holders.length;
    },
    clearQueues: () => origins.flatMap(clearQueuesOf),
    clearStuckQueues: () => origins.filter(isStuck).flatMap(clearQueuesOf),
    clear: () => {
      for (const origin of origins) clearQueuesOf(origin);
      pieces.clear();
    },
  };
}

const waitsForProvider = ({ callingSinceMs }: LocalPiece): boolean =>
  callingSinceMs !== null && performance.now() - callingSinceMs >= HELD_UP_AFTER_MS;

/** Users take turns. Work without a user takes its turn as a user of its own. */
const createQueues = () => ({ urgent: createQueue(), ordinary: createQueue() });

const createQueue = () => createFairQueue<Work>(({ userId, kind }) => ({ user: userId ?? kind }));
