// How many requests of one person are carried out concurrently. It is no rate limit: requests that are sent one after the
// other are never refused. Without it a person with many connections fills the connections to the database, the slots to
// the provider and the event loop, and everybody else waits behind them.
import type { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '../domain/refusals.ts';
import { createFairQueue } from '../fairness/fair-queue.ts';

export type PersonLimits = {
  /** Of one person, carried out concurrently: more than an app sends when it opens. */
  ofPerson: number;
  /** Of one person whose request was refused, until none of theirs waits any more: so many leave the process free for others. */
  ofRefused: number;
  /** Of one person, waiting: beyond it they are refused. */
  waitingOfPerson: number;
  /** Of all people, carried out concurrently: it bounds memory, and beyond it people take turns. */
  ofAll: number;
  /** What has waited so long is refused: an app gives up a little later. */
  waitMs: number;
  /** A refusal is sent only after so long: a client that repeats immediately then does so once a second, not a thousand times. */
  refusedAfterMs: number;
};

export const personLimits: PersonLimits = {
  ofPerson: 8,
  ofRefused: 2,
  waitingOfPerson: 32,
  ofAll: 500,
  waitMs: 10_000,
  refusedAfterMs: 1_000,
};

/** Ends the request's turn; a second call does nothing. */
export type Leave = () => void;

export type PersonLimit = {
  /**
   * Waits for the request's turn.
   * @param response its `close` ends the waiting: nobody is there to be answered.
   * @throws Refusal `too_many_requests`
   */
  enter: (userId: string, response: EventEmitter) => Promise<Leave>;
};

type Waiting = { userId: string; begin: (leave: Leave) => void };

export function createPersonLimit(limits: PersonLimits = personLimits): PersonLimit {
  const running = new Map<string, number>();
  const waiting = new Map<string, number>();
  /** People whose request was refused, and of whom others wait still. */
  const refused = new Set<string>();
  let runningOfAll = 0;
  const queue = createFairQueue<Waiting>(({ userId }) => ({ person: userId }));

  const mayRun = ({ userId }: { userId: string }): boolean =>
    (running.get(userId) ?? 0) < (refused.has(userId) ? limits.ofRefused : limits.ofPerson);

  const run = (userId: string): Leave => {
    count(running, userId, 1);
    runningOfAll += 1;
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      count(running, userId, -1);
      runningOfAll -= 1;
      beginNext();
    };
  };

  const beginNext = (): void => {
    while (runningOfAll < limits.ofAll) {
      const next = queue.next(mayRun);
      if (next === null) return;
      next.begin(run(next.userId));
    }
  };

  /** @returns null where its turn has not come in time. */
  const waitForTurn = (userId: string, response: EventEmitter): Promise<Leave | null> =>
    new Promise((resolve) => {
      const end = (leave: Leave | null): void => {
        clearTimeout(deadline);
        response.off('close', giveUp);
        count(waiting, userId, -1);
        if (!waiting.has(userId)) refused.delete(userId);
        resolve(leave);
      };
      const giveUp = (): void => {
        queue.remove(one);
        end(null);
      };
      const one: Waiting = { userId, begin: end };
      const deadline = setTimeout(giveUp, limits.waitMs);
      response.once('close', giveUp);
      count(waiting, userId, 1);
      queue.add(one);
    });

  return {
    enter: async (userId, response) => {
      // What waits may begin as soon as there is room, so that where there is room nothing of this person waits.
      if (runningOfAll < limits.ofAll && mayRun({ userId })) return run(userId);
      const isFull = (waiting.get(userId) ?? 0) >= limits.waitingOfPerson;
      if (isFull) refused.add(userId);
      const leave = isFull ? await pause(limits.refusedAfterMs, null) : await waitForTurn(userId, response);
      if (leave === null) throw new Refusal('too_many_requests');
      return leave;
    },
  };
}

function count(counts: Map<string, number>, userId: string, more: number): void {
  const sum = (counts.get(userId) ?? 0) + more;
  if (sum === 0) counts.delete(userId);
  else counts.set(userId, sum);
}
