// Limits how many requests of one user are in progress, and how many of all users run. This is not a rate limit: requests sent one after
// the other are never refused. Without it, one user with many connections would occupy the database connections and the event loop, and
// all other users would wait. A request runs while it has its turn. It gives the turn back while it waits for the provider, because a
// slow provider must not keep other users waiting. A long page of a list counts as several requests.
import type { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '../domain/refusals.ts';
import {
  createShares,
  type Demand,
  type Limit,
  type Rejection,
  type Release,
  type Shares,
} from '../platform/concurrency/shares.ts';

export const requestLimits = {
  /** How many requests of one user are in progress: more than an app sends when it opens. */
  ofUser: 8,
  /**
   * The same limit for a user who had a request refused, until none of that user's requests waits. It keeps
   * the process free for other users.
   */
  ofRefused: 2,
  /** How many requests of one user may wait. Further requests are refused. */
  waitingOfUser: 32,
  /** How many requests of all users run concurrently. Beyond it, waiting users are served round-robin. */
  ofAll: 500,
  /** How many requests of all users are in progress, including those that wait for the provider. It bounds memory. */
  inProgress: 2_000,
  /**
   * The part of `ofAll` that long pages may use, each counted by its weight. Long pages block the event loop, which
   * must also serve short requests.
   */
  ofLongPages: 8,
  /** A request that has waited for this long is refused. Apps time out a little later. */
  waitMs: 10_000,
  /**
   * A request that exceeds `waitingOfUser` is refused after this delay. A client that repeats it immediately then does so once a
   * second instead of a thousand times.
   */
  refusedAfterMs: 1_000,
};

export type RequestLimits = typeof requestLimits;

export type Turn = {
  end: Release;
  /** Gives the turn back while a call to the provider waits or runs. Then takes it again without waiting: the request may have written. */
  whileCalling: <Reply>(call: () => Promise<Reply>) => Promise<Reply>;
};

export type RequestShares = {
  /**
   * Waits for the request's turn.
   * @param user a user's id, or the identity of a caller who is signing in.
   * @param weight how many requests it counts as.
   * @param response its `close` event ends the wait, because the client has disconnected.
   * @throws Refusal `too_many_requests`
   */
  enter: (user: string, weight: number, response: EventEmitter) => Promise<Turn>;
};

/** Rows of a page that cost about as much as one short request. */
const ROWS_OF_ONE = 125;

/** Returns how many requests a page counts as, at most eight. @param limit the page size as the client sent it, if it did. */
export const weightOfPage = (limit: unknown): number =>
  Math.min(8, Math.max(1, Math.ceil(Number(limit ?? 0) / ROWS_OF_ONE) || 1));

export function createRequestShares(limits = requestLimits): RequestShares {
  const shares = createShares();
  /** Users who had a request refused and have other requests waiting. */
  const refused = new Set<string>();

  /** Held as long as a request is in progress. */
  const progressOf = (user: string, weight: number): readonly Limit[] => [
    [`user ${user}`, refused.has(user) ? limits.ofRefused : limits.ofUser],
    ...(weight > 1 ? [['long pages', limits.ofLongPages] as const] : []),
    ['in progress', limits.inProgress],
  ];
  /** Held while a request runs. */
  const running: readonly Limit[] = [['all', limits.ofAll]];

  const demandOf = (user: string, weight: number): Demand => ({
    user,
    weight,
    compartment: weight > 1 ? 'long pages' : '',
    // The limits are read again while the request waits, because another request of this user may be refused meanwhile.
    get limits() {
      return [...progressOf(user, weight), ...running];
    },
  });

  /** @param entered releases what the request holds while it runs. */
  const turnOf = (user: string, weight: number, entered: Release): Turn => {
    let [held, isRunning, hasEnded] = [entered, true, false];
    const hold = (isToRun: boolean): void => {
      if (hasEnded || isRunning === isToRun) return;
      const before = held;
      held = shares.take({
        user,
        weight,
        limits: [...progressOf(user, weight), ...(isToRun ? running : [])],
      });
      before();
      isRunning = isToRun;
    };
    return {
      end: () => {
        hasEnded = true;
        held();
      },
      whileCalling: async (call) => {
        hold(false);
        try {
          return await call();
        } finally {
          hold(true);
        }
      },
    };
  };

  return {
    enter: async (user, weight, response) => {
      const entered = await acquireWhileOpen(shares, demandOf(user, weight), response, limits);
      if (entered === 'queue_full') {
        refused.add(user);
        await pause(limits.refusedAfterMs);
      } else if (shares.waitingOf(user) === 0) refused.delete(user);
      if (typeof entered === 'string') throw new Refusal('too_many_requests');
      return turnOf(user, weight, entered);
    },
  };
}

/** Waits for units of `shares`. The wait is aborted when the response closes, because the client no longer waits. */
export async function acquireWhileOpen(
  shares: Shares,
  demand: Demand,
  response: EventEmitter,
  { waitMs: withinMs, waitingOfUser: maxWaiting }: { waitMs: number; waitingOfUser: number },
): Promise<Release | Rejection> {
  const gone = new AbortController();
  const abort = (): void => gone.abort();
  response.once('close', abort);
  try {
    return await shares.acquire(demand, { withinMs, maxWaiting, signal: gone.signal });
  } finally {
    response.off('close', abort);
  }
}
