// Limits the bytes that this process keeps for slow clients: bodies that have not arrived completely, and responses that clients have not
// read yet. Such a request has no turn (request-shares.ts), so a slow client costs only memory. A connection's first 64 KiB cost nothing,
// so an ordinary body is never refused or delayed because of other clients. A longer body takes what it needs when its free bytes have
// arrived: if bodies took theirs bit by bit, several of one user would wait for each other.
import type { EventEmitter } from 'node:events';
import { Refusal } from '../domain/refusals.ts';
import { createShares, type Demand, type Limit, type Release } from '../platform/concurrency/shares.ts';
import { acquireWhileOpen } from './request-shares.ts';

const KIB = 1024;

const byteLimits = {
  /** The bytes of a connection that cost nothing, over the bodies of all its unanswered requests. */
  free: 64 * KIB,
  /** The free bytes, or the whole body if it is shorter, must arrive within this time. */
  lateAfterMs: 10_000,
  /** The limit of one user, or of one address for callers without a session. One request may use all of it, and is then read on. */
  ofHolder: 4 * KIB * KIB,
  ofAll: 64 * KIB * KIB,
  /**
   * A connection that has held bytes for longer than this is closed if another request needs them. A
   * well-behaved phone sends its body faster.
   */
  slowAfterMs: 5_000,
  /** A body that has waited for bytes for longer than this is refused. */
  waitMs: 30_000,
};

export type ByteLimits = typeof byteLimits;

/** The client of a request. `holder` is its user, or its address without a session. `close` closes its connection. */
type Client = { holder: string; connection: object; response: EventEmitter; close: () => void };

export type ArrivingBody = {
  /** Counts bytes that have arrived. Resolves when more may be read. @throws Refusal `too_many_requests` */
  arrived: (bytes: number) => Promise<void>;
  /** Returns whether the body is in time: its free bytes have arrived, or it waits for more. */
  isInTime: () => boolean;
};

export type ByteBudget = {
  lateAfterMs: number;
  /**
   * Begins to count the body of a request, until its response closes.
   * @param maxBytes the length of the body, or the most that is read of it.
   */
  toRead: (client: Client, maxBytes: number) => ArrivingBody;
  /** Counts the bytes of a response that the client has not read yet, until the response closes. */
  toSend: (client: Client, bytes: number) => void;
  /** The bytes that the limits count. */
  held: () => number;
};

type Held = { sinceMs: number; close: () => void };

export function createByteBudget(limits = byteLimits): ByteBudget {
  const holders = createHolders(limits);
  /** The bytes of bodies of each connection. */
  const arrivedOver = new WeakMap<object, number>();
  return {
    lateAfterMs: limits.lateAfterMs,
    toRead: (client, maxBytes) => {
      const { connection, response } = client;
      let [ofBody, isBeyond, isOver] = [0, false, false];
      let release: Release | null = null;
      const usedOfConnection = (): number => arrivedOver.get(connection) ?? 0;
      response.once('close', () => {
        isOver = true;
        arrivedOver.set(connection, usedOfConnection() - ofBody);
        release?.();
      });
      return {
        isInTime: () => isBeyond || ofBody >= limits.free,
        arrived: async (bytes) => {
          if (isOver) return;
          const used = usedOfConnection() + bytes;
          arrivedOver.set(connection, used);
          ofBody += bytes;
          if (isBeyond || used <= limits.free) return;
          isBeyond = true;
          const freeOfBody = Math.max(0, ofBody - (used - limits.free));
          const taken = await holders.acquire(client, Math.min(maxBytes - freeOfBody, limits.ofHolder));
          if (isOver) taken();
          else release = holders.remember(client, taken);
        },
      };
    },
    toSend: (client, bytes) =>
      void client.response.once('close', holders.remember(client, holders.takeNow(client, bytes))),
    held: holders.bytes,
  };
}

/** The clients that hold bytes. If bytes do not fit, the connection that has held its own for the longest time is closed. */
function createHolders(limits: ByteLimits) {
  const shares = createShares();
  /** The requests that hold bytes, by holder, oldest first. */
  const held = new Map<string, Set<Held>>();

  const demandOf = (holder: string, bytes: number): Demand & { limits: [own: Limit, all: Limit] } => ({
    user: holder,
    weight: bytes,
    limits: [
      [`holder ${holder}`, limits.ofHolder],
      ['all', limits.ofAll],
    ],
  });

  const usedBy = (holder: string): number => shares.inUse().get(`holder ${holder}`) ?? 0;
  const largestHolder = (): string | undefined =>
    [...held.keys()].toSorted((one, other) => usedBy(other) - usedBy(one))[0];

  /**
   * Closes the holder's oldest connection if it has held its bytes for `slowerThanMs`.
   * @returns whether a connection was closed.
   */
  const closeOldestOf = (holder: string | undefined, slowerThanMs: number): boolean => {
    const [oldest] = held.get(holder ?? '') ?? [];
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

  return {
    bytes: (): number => shares.inUse().get('all') ?? 0,
    /** Waits for bytes beyond the free ones. */
    acquire: async ({ holder, response }: Client, bytes: number): Promise<Release> => {
      const makeRoom = (): boolean => closeOneFor(holder, bytes, limits.slowAfterMs);
      const makingRoom = setInterval(makeRoom, limits.slowAfterMs / 5);
      const taken = await acquireWhileOpen(shares, demandOf(holder, bytes), response, {
        waitMs: limits.waitMs,
        waitingOfUser: Number.POSITIVE_INFINITY,
      });
      clearInterval(makingRoom);
      if (typeof taken === 'string') throw new Refusal('too_many_requests');
      return taken;
    },
    /**
     * Takes bytes for a response. It is already in memory and cannot wait, so the oldest connections are closed however short a time
     * they have held their bytes.
     */
    takeNow: ({ holder }: Client, bytes: number): Release => {
      while (closeOneFor(holder, bytes, 0));
      return shares.take(demandOf(holder, bytes));
    },
    remember: (client: Client, free: Release): Release => remember(held, client, free),
  };
}

/** Adds a request to those that hold bytes. Returns the function that frees its bytes. */
function remember(held: Map<string, Set<Held>>, { holder, close }: Client, free: Release): Release {
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
}
