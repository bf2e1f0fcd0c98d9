// Limits the bytes that this process buffers for slow clients: request bodies that are being read and responses that clients have
// not read yet. Such a request holds no turn (request-shares.ts), so a slow client costs only memory.
// While the budget of a user or of the process is exhausted, further bodies wait unread, and connections that have held
// their bytes for long are closed.
import type { EventEmitter } from 'node:events';
import { Refusal } from '../domain/refusals.ts';
import { createShares, type Demand, type Limit, type Release } from '../platform/concurrency/shares.ts';
import { acquireWhileOpen } from './request-shares.ts';

const KIB = 1024;

const byteLimits = {
  /** Bytes that each request counts in addition to its body or response: its connection, headers and objects. */
  ofRequest: 16 * KIB,
  /** The limit of one user. It exceeds what all requests that may run or wait need if each has a body of the usual limit. */
  ofPerson: 4 * KIB * KIB,
  /** The limit of all callers that are not authenticated, together. */
  ofStrangers: 16 * KIB * KIB,
  ofAll: 64 * KIB * KIB,
  /** How many bodies of one user may wait for bytes. */
  waitingOfPerson: 32,
  /**
   * A connection that has held bytes for longer than this is closed if another request needs them. A
   * well-behaved phone sends its body faster.
   */
  slowAfterMs: 5_000,
  /** A body that has waited for longer than this is refused. */
  waitMs: 30_000,
};

export type ByteLimits = typeof byteLimits;

/** The client of a request. `userId` is null if the caller is not authenticated. `close` closes the client's connection. */
type Client = { userId: string | null; response: EventEmitter; close: () => void };

export type ByteBudget = {
  /** Waits until a body of this many bytes may be read. @throws Refusal `too_many_requests` */
  toRead: (client: Client, bytes: number) => Promise<Release>;
  /** Counts the bytes of a response that the client has not read yet, until the response closes. */
  toSend: (client: Client, bytes: number) => void;
};

type Held = { sinceMs: number; close: () => void };

const STRANGERS = 'strangers';

export function createByteBudget(limits = byteLimits): ByteBudget {
  const shares = createShares();
  /** The connections that hold bytes, by holder, oldest first. */
  const held = new Map<string, Set<Held>>();

  const demandOf = (holder: string, bytes: number): Demand & { limits: [own: Limit, all: Limit] } => ({
    user: holder,
    weight: limits.ofRequest + bytes,
    limits: [
      [`holder ${holder}`, holder === STRANGERS ? limits.ofStrangers : limits.ofPerson],
      ['all', limits.ofAll],
    ],
  });

  const usedBy = (holder: string): number => shares.inUse().get(`holder ${holder}`) ?? 0;
  const largestHolder = (): string =>
    [...held.keys()].reduce((one, other) => (usedBy(other) > usedBy(one) ? other : one), STRANGERS);

  /**
   * Closes the holder's oldest connection if it has held its bytes for `slowerThanMs`.
   * @returns whether a connection was closed.
   */
  const closeOldestOf = (holder: string, slowerThanMs: number): boolean => {
    const [oldest] = held.get(holder) ?? [];
    if (oldest === undefined || performance.now() - oldest.sinceMs < slowerThanMs) return false;
    oldest.close();
    return true;
  };

  /** Closes one connection if these bytes do not fit. @returns whether a connection was closed. */
  const closeOneFor = (holder: string, bytes: number, slowerThanMs: number): boolean => {
    const demand = demandOf(holder, bytes);
    const [own, all] = demand.limits;
    if (!shares.fits({ ...demand, limits: [own] })) return closeOldestOf(holder, slowerThanMs);
    return !shares.fits({ ...demand, limits: [all] }) && closeOldestOf(largestHolder(), slowerThanMs);
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
      const free = await acquireWhileOpen(shares, demandOf(holder, bytes), response, limits);
      clearInterval(makingRoom);
      if (typeof free === 'string') throw new Refusal('too_many_requests');
      return remember(holder, close, free);
    },
    toSend: ({ userId, response, close }, bytes) => {
      const holder = userId ?? STRANGERS;
      // The response is already in memory and cannot wait, so the oldest connections are closed however short a
      // time they have held their bytes.
      while (closeOneFor(holder, bytes, 0));
      response.once('close', remember(holder, close, shares.take(demandOf(holder, bytes))));
    },
  };
}
