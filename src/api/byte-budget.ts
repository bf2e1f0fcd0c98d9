// Bytes that this process holds for slow clients: bodies that are being read, and answers that were not taken yet. Such a request
// has no turn (see request-shares.ts), so that a slow client costs memory and nothing else. While the bytes of a person, or of all,
// are used up, further bodies wait unread, and connections that have held theirs for long are closed.
import type { EventEmitter } from 'node:events';
import { Refusal } from '../domain/refusals.ts';
import { createShares, type Demand, type Limit, type Release } from '../fairness/shares.ts';
import { whileOpen } from './request-shares.ts';

export type ByteLimits = {
  /** What each request counts besides its bytes: its connection, its headers and its objects. */
  ofRequest: number;
  /** Of one person: more than all the requests that may run or wait need, each with a body of the usual limit. */
  ofPerson: number;
  /** Of all callers who have not signed in yet. */
  ofStrangers: number;
  ofAll: number;
  /** How many bodies of one person may wait for bytes. */
  waitingOfPerson: number;
  /** Who has held bytes for so long is closed when others need them. An honest phone has sent its body by then. */
  slowAfterMs: number;
  /** A body that has waited so long is refused. */
  waitMs: number;
};

const KIB = 1024;

const byteLimits: ByteLimits = {
  ofRequest: 16 * KIB,
  ofPerson: 4 * KIB * KIB,
  ofStrangers: 16 * KIB * KIB,
  ofAll: 64 * KIB * KIB,
  waitingOfPerson: 32,
  slowAfterMs: 5_000,
  waitMs: 30_000,
};

/** What is known of a request. `userId`: null while the caller has not signed in. `close` closes its connection. */
type Client = { userId: string | null; response: EventEmitter; close: () => void };

export type ByteBudget = {
  /** Waits until a body of so many bytes may be read. @throws Refusal `too_many_requests` */
  toRead: (client: Client, bytes: number) => Promise<Release>;
  /** Counts the bytes of an answer that were not taken yet, until the response closes. */
  toSend: (client: Client, bytes: number) => void;
};

type Held = { sinceMs: number; close: () => void };

const STRANGERS = 'strangers';

export function createByteBudget(limits: ByteLimits = byteLimits): ByteBudget {
  const shares = createShares();
  /** By holder, the oldest first. */
  const held = new Map<string, Set<Held>>();

  const ownLimit = (holder: string): Limit => [
    `holder ${holder}`,
    holder === STRANGERS ? limits.ofStrangers : limits.ofPerson,
  ];
  const demandOf = (holder: string, bytes: number): Demand => ({
    user: holder,
    weight: limits.ofRequest + bytes,
    limits: [ownLimit(holder), ['all', limits.ofAll]],
  });

  const isOver = (limit: Limit, { user, weight = 1 }: Demand): boolean =>
    !shares.fits({ user, weight, limits: [limit] });

  const usedBy = (holder: string): number => shares.inUse().get(ownLimit(holder)[0]) ?? 0;
  const largestHolder = (): string =>
    [...held.keys()].reduce((one, other) => (usedBy(other) > usedBy(one) ? other : one), STRANGERS);

  /** @returns whether one was closed. */
  const closeOldestOf = (holder: string, slowerThanMs: number): boolean => {
    const [oldest] = held.get(holder) ?? [];
    if (oldest === undefined || performance.now() - oldest.sinceMs < slowerThanMs) return false;
    oldest.close();
    return true;
  };

  /** Closes one connection where these bytes do not fit. @returns whether one was closed. */
  const closeOneFor = (holder: string, bytes: number, slowerThanMs: number): boolean => {
    const demand = demandOf(holder, bytes);
    if (isOver(ownLimit(holder), demand)) return closeOldestOf(holder, slowerThanMs);
    return isOver(['all', limits.ofAll], demand) && closeOldestOf(largestHolder(), slowerThanMs);
  };

  const remember = (holder: string, close: () => void, free: Release): Release => {
    const ofHolder = held.get(holder) ?? new Set<Held>();
    held.set(holder, ofHolder);
    const release = (): void => {
      if (!ofHolder.delete(one)) return;
      if (ofHolder.size === 0) held.delete(holder);
      free();
    };
    const one: Held = {
      sinceMs: performance.now(),
      close: () => {
        release();
        close();
      },
    };
    ofHolder.add(one);
    return release;
  };

  return {
    toRead: async ({ userId, response, close }, bytes) => {
      const holder = userId ?? STRANGERS;
      const makingRoom = setInterval(
        () => closeOneFor(holder, bytes, limits.slowAfterMs),
        limits.slowAfterMs / 5,
      );
      const free = await whileOpen(response, (signal) =>
        shares.acquire(demandOf(holder, bytes), {
          withinMs: limits.waitMs,
          mostWaiting: limits.waitingOfPerson,
          signal,
        }),
      );
      clearInterval(makingRoom);
      if (typeof free === 'string') throw new Refusal('too_many_requests');
      return remember(holder, close, free);
    },
    toSend: ({ userId, response, close }, bytes) => {
      const holder = userId ?? STRANGERS;
      // The answer is in memory already: it cannot wait.
      while (closeOneFor(holder, bytes, 0));
      response.once('close', remember(holder, close, shares.take(demandOf(holder, bytes))));
    },
  };
}
