// The share counter: counts how many units of a limited resource are in use under each key, and decides which demand is
// next. The caller defines the keys and their limits: requests (api), work (outbox) and calls to the provider
// (provider) each have their own counter.
import { createFairQueue } from './fair-queue.ts';

/** At most this many units may be in use under this key. */
export type Limit = readonly [key: string, max: number];

export type Demand = {
  /** The user. Users take turns; all demands without a user count as one user's. */
  user: string | null;
  /** Compartments take turns, and so do the users in each compartment. */
  compartment?: string;
  /**
   * How many units the demand takes under each of its keys; 1 if omitted. A demand that is heavier than a
   * limit takes all of that limit.
   */
  weight?: number;
  /** Demands of rank 0 are served before those of rank 1. 0 if omitted. */
  rank?: Rank;
  /** Once this limit is reached, the demand is served after those of rank 1. Without it, rank 0 may starve rank 1. */
  firstUpTo?: Limit;
  /** All limits apply, and the narrowest must be first. A getter may return other limits while the demand waits. */
  readonly limits: readonly Limit[];
};

export type Rank = 0 | 1;

/** Returns the units. A second call does nothing. */
export type Release = () => void;

/**
 * Why a demand got no units: its time was up, too many demands of its user wait, its caller aborted it, or the counter was closed.
 */
export type Rejection = 'timed_out' | 'queue_full' | 'aborted' | 'closed';

export type Patience = {
  withinMs: number;
  /** How many demands of one user may wait. Demands without a user are not limited. */
  maxWaiting?: number;
  /** Aborted when the caller no longer needs the units. */
  signal?: AbortSignal;
};

export type Shares = {
  free: (limits: readonly Limit[]) => number;
  fits: (demand: Demand) => boolean;
  /** Takes the units even if they do not fit. */
  take: (demand: Demand) => Release;
  /**
   * Waits until the demand fits and its turn has come. The first of its limits that is full blocks later demands under the same
   * key, so that light demands cannot delay a heavy one indefinitely.
   */
  acquire: (demand: Demand, patience: Patience) => Promise<Release | Rejection>;
  inUse: () => ReadonlyMap<string, number>;
  waiting: (rank: Rank) => number;
  waitingOf: (user: string) => number;
  /** Rejects every demand that waits. */
  close: () => void;
};

type Queue = ReturnType<typeof createQueue>;
type QueuedDemand = { demand: Demand; settle: (result: Release | Rejection) => void };

export function createShares(): Shares {
  const { units, isFull, fits, takeUnits } = createUnits();
  const waitingByUser = createCounts();
  const queues = [createQueue(), createQueue()] as const;

  const take = (demand: Demand): Release => takeUnits(demand, serve);

  const goesFirst = ({ demand }: QueuedDemand): boolean =>
    demand.firstUpTo === undefined || !isFull(demand, demand.firstUpTo);
  const serveFrom = (queue: Queue, isServed: (waiting: QueuedDemand) => boolean): void => {
    for (let next = queue.next(isServed); next !== null; next = queue.next(isServed))
      next.settle(take(next.demand));
  };

  const serve = (): void => {
    /** The keys for which a demand with an earlier turn waits. */
    const awaited = new Set<string>();
    const mayBegin = ({ demand }: QueuedDemand): boolean => {
      const full = demand.limits.find((limit) => isFull(demand, limit));
      if (full === undefined) return !demand.limits.some(([key]) => awaited.has(key));
      awaited.add(full[0]);
      return false;
    };
    serveFrom(queues[0], (waiting) => goesFirst(waiting) && mayBegin(waiting));
    serveFrom(queues[1], mayBegin);
    serveFrom(queues[0], mayBegin);
  };

  const giveUp = (waiting: QueuedDemand, rejection: Rejection): void => {
    queues[waiting.demand.rank ?? 0].remove(waiting);
    waiting.settle(rejection);
    // The removed demand may have blocked others.
    serve();
  };

  const wait = (demand: Demand, patience: Patience): Promise<Release | Rejection> =>
    new Promise((resolve) => {
      const { user, rank = 0 } = demand;
      if (user !== null) waitingByUser.add(user, 1);
      const waiting = patiently(demand, patience, giveUp, (result) => {
        if (user !== null) waitingByUser.add(user, -1);
        resolve(result);
      });
      queues[rank].add(waiting);
      serve();
    });

  return {
    free: (limits) => Math.min(...limits.map(([key, max]) => max - units.of(key))),
    fits,
    take,
    acquire: async (demand, patience) => {
      const { user } = demand;
      if (patience.signal?.aborted) return 'aborted';
      if (queues.every((queue) => queue.size() === 0) && fits(demand)) return take(demand);
      const { maxWaiting = Number.POSITIVE_INFINITY } = patience;
      if (user !== null && waitingByUser.of(user) >= maxWaiting) return 'queue_full';
      return wait(demand, patience);
    },
    inUse: () => units.all,
    waiting: (rank) => queues[rank].size(),
    waitingOf: waitingByUser.of,
    close: () => {
      for (const queue of queues) for (const { settle } of queue.clear()) settle('closed');
    },
  };
}

/** The units in use under each key. */
function createUnits() {
  const units = createCounts();
  const isFull = (demand: Demand, [key, max]: Limit): boolean => units.of(key) + unitsOf(demand, max) > max;
  return {
    units,
    isFull,
    fits: (demand: Demand): boolean => !demand.limits.some((limit) => isFull(demand, limit)),
    takeUnits: (demand: Demand, returned: () => void): Release => {
      const taken = demand.limits.map(([key, max]) => [key, unitsOf(demand, max)] as const);
      for (const [key, count] of taken) units.add(key, count);
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        for (const [key, count] of taken) units.add(key, -count);
        returned();
      };
    },
  };
}

/** Creates a queued demand, which gives up when its time is up or its caller aborts it. */
function patiently(
  demand: Demand,
  { withinMs, signal }: Patience,
  giveUp: (waiting: QueuedDemand, rejection: Rejection) => void,
  settled: QueuedDemand['settle'],
): QueuedDemand {
  const abort = (): void => giveUp(waiting, 'aborted');
  const deadline = setTimeout(() => giveUp(waiting, 'timed_out'), withinMs);
  const waiting: QueuedDemand = {
    demand,
    settle: (result) => {
      clearTimeout(deadline);
      signal?.removeEventListener('abort', abort);
      settled(result);
    },
  };
  signal?.addEventListener('abort', abort);
  return waiting;
}

const unitsOf = ({ weight = 1 }: Demand, max: number): number => Math.min(weight, max);

const createQueue = () =>
  createFairQueue<QueuedDemand>(
    ({ demand: { user, compartment = '', weight = 1 } }) => ({ compartment, user: user ?? '', weight }),
    { keepsOrder: true },
  );

/** Counts by key. A key whose count is 0 is removed. */
function createCounts() {
  const counts = new Map<string, number>();
  const of = (key: string): number => counts.get(key) ?? 0;
  const add = (key: string, count: number): void => {
    const sum = of(key) + count;
    if (sum === 0) counts.delete(key);
    else counts.set(key, sum);
  };
  return { of, add, all: counts as ReadonlyMap<string, number> };
}
