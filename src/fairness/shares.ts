// The share counter: how many units of a scarce thing are in use under each key, and whose demand is next. The keys and their
// limits belong to the caller: requests (api), pieces of work (outbox) and calls to the provider (provider) each have their own.
import { createFairQueue } from './fair-queue.ts';

/** At most so many units may be in use under this key. */
export type Limit = readonly [key: string, most: number];

export type Demand = {
  /** Whose it is. Users take turns; all demands of nobody are one user's. */
  user: string | null;
  /** Compartments take turns, and the users in each. */
  compartment?: string;
  /** How many units it takes under each of its keys: 1 if left out. One that is heavier than a limit takes all of that limit. */
  weight?: number;
  /** Demands of rank 0 are served before those of rank 1. 0 if left out. */
  rank?: Rank;
  /** All of them hold. The narrowest comes first. A getter may give other limits while the demand waits. */
  readonly limits: readonly Limit[];
};

export type Rank = 0 | 1;

/** Gives the units back; a second call does nothing. */
export type Release = () => void;

/** Why a demand got nothing: not in time, too much of this user waits, nobody wants it any more, or the counter is closed. */
export type Rejection = 'timed_out' | 'queue_full' | 'aborted' | 'closed';

export type Patience = {
  withinMs: number;
  /** How many demands of one user may wait. Those of nobody are not limited. */
  mostWaiting?: number;
  /** Aborted when nobody wants it any more. */
  signal?: AbortSignal;
};

export type Shares = {
  /** How many more units the limits allow. */
  free: (limits: readonly Limit[]) => number;
  fits: (demand: Demand) => boolean;
  /** Takes the units whether they fit or not. */
  take: (demand: Demand) => Release;
  /**
   * Waits until the demand fits and its turn has come. The first of its limits that is full keeps back later demands under the same
   * key, so that light ones cannot delay a heavy one without end.
   */
  acquire: (demand: Demand, patience: Patience) => Promise<Release | Rejection>;
  /** Units in use under each key. */
  inUse: () => ReadonlyMap<string, number>;
  waiting: (rank: Rank) => number;
  waitingOf: (user: string) => number;
  /** Rejects every demand that waits. */
  close: () => void;
};

type Waiting = { demand: Demand; settle: (result: Release | Rejection) => void };

export function createShares(): Shares {
  const units = createCounts();
  const waitingByUser = createCounts();
  const queues = [createQueue(), createQueue()] as const;

  const isFull = (demand: Demand, [key, most]: Limit): boolean =>
    units.of(key) + unitsOf(demand, most) > most;

  const fits = (demand: Demand): boolean => !demand.limits.some((limit) => isFull(demand, limit));

  const take = (demand: Demand): Release => {
    const taken = demand.limits.map(([key, most]) => [key, unitsOf(demand, most)] as const);
    for (const [key, many] of taken) units.add(key, many);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      for (const [key, many] of taken) units.add(key, -many);
      serve();
    };
  };

  const serve = (): void => {
    /** Keys that a demand with an earlier turn waits for. */
    const awaited = new Set<string>();
    const mayBegin = ({ demand }: Waiting): boolean => {
      const full = demand.limits.find((limit) => isFull(demand, limit));
      if (full === undefined) return !demand.limits.some(([key]) => awaited.has(key));
      awaited.add(full[0]);
      return false;
    };
    for (const queue of queues)
      for (let next = queue.next(mayBegin); next !== null; next = queue.next(mayBegin))
        next.settle(take(next.demand));
  };

  const wait = (demand: Demand, { withinMs, signal }: Patience): Promise<Release | Rejection> =>
    new Promise((resolve) => {
      const queue = queues[demand.rank ?? 0];
      const giveUp = (rejection: Rejection): void => {
        queue.remove(waiting);
        waiting.settle(rejection);
        // It may have kept others back.
        serve();
      };
      const abort = (): void => giveUp('aborted');
      const deadline = setTimeout(() => giveUp('timed_out'), withinMs);
      const waiting: Waiting = {
        demand,
        settle: (result) => {
          clearTimeout(deadline);
          signal?.removeEventListener('abort', abort);
          if (demand.user !== null) waitingByUser.add(demand.user, -1);
          resolve(result);
        },
      };
      signal?.addEventListener('abort', abort);
      if (demand.user !== null) waitingByUser.add(demand.user, 1);
      queue.add(waiting);
      serve();
    });

  return {
    free: (limits) => Math.min(...limits.map(([key, most]) => most - units.of(key))),
    fits,
    take,
    acquire: async (demand, patience) => {
      const { user } = demand;
      if (signalled(patience)) return 'aborted';
      if (queues.every((queue) => queue.size() === 0) && fits(demand)) return take(demand);
      const { mostWaiting = Number.POSITIVE_INFINITY } = patience;
      if (user !== null && waitingByUser.of(user) >= mostWaiting) return 'queue_full';
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

const unitsOf = ({ weight = 1 }: Demand, most: number): number => Math.min(weight, most);

const signalled = ({ signal }: Patience): boolean => signal?.aborted === true;

const createQueue = () =>
  createFairQueue<Waiting>(
    ({ demand: { user, compartment = '', weight = 1 } }) => ({ compartment, person: user ?? '', weight }),
    { keepsOrder: true },
  );

/** Counts by key. A key whose count is 0 is forgotten. */
function createCounts() {
  const counts = new Map<string, number>();
  const of = (key: string): number => counts.get(key) ?? 0;
  const add = (key: string, many: number): void => {
    const sum = of(key) + many;
    if (sum === 0) counts.delete(key);
    else counts.set(key, sum);
  };
  return { of, add, all: counts as ReadonlyMap<string, number> };
}
