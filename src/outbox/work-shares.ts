// How many pieces of work a process runs concurrently, and how many of its slots one user, one type of work and each origin may have.
// Urgent work has a few slots of its own, so that it can start while calls of polls and callbacks are stuck in all the others.
import { createShares, type Demand, type Limit, type Release } from '../platform/concurrency/shares.ts';
import type { Work } from './work.ts';

/** How a process got its work: handed off after a commit, or claimed. Work that was handed off starts first. */
export const origins = ['handed_off', 'claimed'] as const;
export type Origin = (typeof origins)[number];

/** What decides whether work may begin. */
type Asking = Pick<Work, 'type' | 'userId' | 'isUrgent'>;

export type WorkShares = {
  mayBegin: (origin: Origin, work: Asking) => boolean;
  /** Takes a slot. Returns the function that releases it. */
  begin: (origin: Origin, work: Work) => Release;
  isWithinShares: (work: Work) => boolean;
  /** How many more pieces of this origin may start, regardless of their users and types. */
  free: (origin: Origin) => number;
  /** How many more urgent pieces may start while no other slot is free. */
  freeForUrgent: () => number;
  /** Users at their limit, counting `queued` work. */
  usersAtLimit: (queued?: Work[]) => string[];
  /** Types at their limit. With `queued` work: types at their limit that have a quarter of all slots more in the queue. */
  typesAtLimit: (queued?: Work[]) => string[];
};

/** The number of slots that one user may have. @param total at least 1. */
export const slotsPerUser = (total: number): number => Math.max(2, Math.ceil(total / 4));

/** @param total at least 1. */
export function createWorkShares(total: number): WorkShares {
  const maxOfOneOrigin = Math.max(1, total - Math.ceil(total / 4));
  const maxOfOneUser = slotsPerUser(total);
  // Below the limit of an origin, so that stuck calls of one type leave slots for other types. Above the limit of a user, so that
  // stuck calls of one user leave slots of the same type for other users.
  const maxOfOneType = Math.min(maxOfOneOrigin, Math.max(Math.floor(total / 2), maxOfOneUser + 1));
  const queuedOfOneType = Math.ceil(total / 4);
  const shares = createShares();

  const forUrgent: Limit[] = [['only for urgent', Math.ceil(total / 8)]];
  const forAll = (origin: Origin): Limit[] => [
    ['all', total],
    [origin, maxOfOneOrigin],
  ];
  const ofWork = ({ userId, type }: Asking): Limit[] => [
    [TYPE + type, maxOfOneType],
    ...(userId === null ? [] : [[USER + userId, maxOfOneUser] as const]),
  ];
  const demand = (work: Asking, limits: Limit[] = []): Demand => ({
    user: work.userId,
    limits: [...limits, ...ofWork(work)],
  });

  const free = (origin: Origin): number => Math.max(0, shares.free(forAll(origin)));

  /** Finds the keys with at least `max` slots in use or queued for, without their prefix. */
  const keysAt = (max: number, prefix: string, queued: Work[]): string[] => {
    const counts = new Map(shares.inUse());
    for (const [key] of queued.flatMap(ofWork)) counts.set(key, (counts.get(key) ?? 0) + 1);
    return [...counts].flatMap(([key, count]) =>
      key.startsWith(prefix) && count >= max ? [key.slice(prefix.length)] : [],
    );
  };

  return {
    free,
    freeForUrgent: () => shares.free(forUrgent),
    mayBegin: (origin, work) =>
      shares.fits(demand(work, forAll(origin))) ||
      (work.isUrgent === true && shares.fits(demand(work, forUrgent))),
    begin: (origin, work) => shares.take(demand(work, free(origin) > 0 ? forAll(origin) : forUrgent)),
    isWithinShares: (work) => shares.fits(demand(work)),
    usersAtLimit: (queued = []) => keysAt(maxOfOneUser, USER, queued),
    typesAtLimit: (queued = []) =>
      keysAt(maxOfOneType + (queued.length > 0 ? queuedOfOneType : 0), TYPE, queued),
  };
}

const USER = 'user ';
const TYPE = 'type ';
