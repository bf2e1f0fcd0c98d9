// How many requests of one person run concurrently. It is no rate limit: requests that are sent one after the other are never
// refused. Without it a person with many connections fills the connections to the database, the slots to the provider and the
// event loop, and everybody else waits behind them. A long page of a list counts as several requests.
import type { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '../domain/refusals.ts';
import { createShares, type Demand, type Release } from '../fairness/shares.ts';

export type RequestLimits = {
  /** Of one person, running concurrently: more than an app sends when it opens. */
  ofPerson: number;
  /** Of one person whose request was refused, until none of theirs waits any more: the process stays free for others. */
  ofRefused: number;
  /** Of one person, waiting: beyond it they are refused. */
  waitingOfPerson: number;
  /** Of all people, running concurrently: it bounds memory, and beyond it people take turns. */
  ofAll: number;
  /** Of these, for long pages: they keep the event loop busy, which has to serve short requests between them. */
  ofLongPages: number;
  /** A request that has waited so long is refused: an app gives up a little later. */
  waitMs: number;
  /** A refusal is sent only after so long: a client that repeats immediately then does so once a second, not a thousand times. */
  refusedAfterMs: number;
};

export const requestLimits: RequestLimits = {
  ofPerson: 8,
  ofRefused: 2,
  waitingOfPerson: 32,
  ofAll: 500,
  ofLongPages: 8,
  waitMs: 10_000,
  refusedAfterMs: 1_000,
};

export type RequestShares = {
  /**
   * Waits for the request's turn.
   * @param user a user's id, or the identity of somebody who signs in.
   * @param weight how many requests it counts as.
   * @param response its `close` ends the waiting: nobody is there to be answered.
   * @throws Refusal `too_many_requests`
   */
  enter: (user: string, weight: number, response: EventEmitter) => Promise<Release>;
};

/** A page of so many rows costs about as much as a short request. */
const ROWS_OF_ONE = 125;

/** How many requests it counts as: eight for the longest page of a list. @param limit as the client wrote it, if it did. */
export const weightOfPage = (limit: unknown): number =>
  Math.min(8, Math.max(1, Math.ceil(Number(limit ?? 0) / ROWS_OF_ONE) || 1));

export function createRequestShares(limits: RequestLimits = requestLimits): RequestShares {
  const shares = createShares();
  /** People whose request was refused, and of whom others still wait. */
  const refused = new Set<string>();

  const demandOf = (user: string, weight: number): Demand => ({
    user,
    weight,
    compartment: weight > 1 ? 'long pages' : '',
    // Read again while the request waits: another one of this person may be refused meanwhile.
    get limits() {
      return [
        [`person ${user}`, refused.has(user) ? limits.ofRefused : limits.ofPerson] as const,
        ...(weight > 1 ? [['long pages', limits.ofLongPages] as const] : []),
        ['all', limits.ofAll] as const,
      ];
    },
  });

  return {
    enter: async (user, weight, response) => {
      const turn = await whileOpen(response, (signal) =>
        shares.acquire(demandOf(user, weight), {
          withinMs: limits.waitMs,
          mostWaiting: limits.waitingOfPerson,
          signal,
        }),
      );
      if (turn === 'queue_full') {
        refused.add(user);
        await pause(limits.refusedAfterMs);
      } else if (shares.waitingOf(user) === 0) refused.delete(user);
      if (typeof turn === 'string') throw new Refusal('too_many_requests');
      return turn;
    },
  };
}

/** @param wait is given a signal that is aborted when the response closes: then nobody waits for it any more. */
export async function whileOpen<Result>(
  response: EventEmitter,
  wait: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const gone = new AbortController();
  const abort = (): void => gone.abort();
  response.once('close', abort);
  try {
    return await wait(gone.signal);
  } finally {
    response.off('close', abort);
  }
}
