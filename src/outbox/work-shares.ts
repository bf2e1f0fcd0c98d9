// How many pieces of work a process runs concurrently, and which share of them one person, one type of work, and each of the two
// origins may have. Urgent work has a few slots more, so that it begins while calls of polls and callbacks hang in all the others.
import { createShares, type Demand, type Limit, type Release } from '../fairness/shares.ts';
import type { Work } from './work.ts';

/** Where work comes from: handed off after its commit, or claimed. What was handed off goes first. */
export const origins = ['handed_off', 'claimed'] as const;
export type Origin = (typeof origins)[number];

export type WorkShares = {
  /** Whether a slot is free for it, within its shares. */
  mayBegin: (origin: Origin, work: Work) => boolean;
  /** @returns how to free the slot again. */
  begin: (origin: Origin, work: Work) => Release;
  /** Whether its person and its type have less than their shares. */
  isWithinShares: (work: Work) => boolean;
  /** How many more of this origin may begin, shares of people and types aside. */
  free: (origin: Origin) => number;
  /** How many more urgent ones may begin while no slot is free. */
  freeForUrgent: () => number;
  /** People who have their share of the slots, or will have it with what waits for one. */
  peopleAtShare: (waiting?: Work[]) => string[];
  /** Types that have their share, and a quarter of it waiting. */
  typesAtShare: (waiting?: Work[]) => string[];
};

/** @param total at least 1. @returns how many of them one person may have. */
export const slotsOfAPerson = (total: number): number => Math.max(2, Math.ceil(total / 4));

/** @param total at least 1. */
export function createWorkShares(total: number): WorkShares {
  const mostOfOneOrigin = Math.max(1, total - Math.ceil(total / 4));
  const mostOfOnePerson = slotsOfAPerson(total);
  // Less than an origin has: where calls of one type hang, other types go on. More than a person has: where those of one
  // person hang, other people's go on.
  const mostOfOneType = Math.min(mostOfOneOrigin, Math.max(Math.floor(total / 2), mostOfOnePerson + 1));
  const waitingOfOneType = Math.ceil(total / 4);
  const shares = createShares();

  const forUrgent: Limit[] = [['only for urgent', Math.ceil(total / 8)]];
  const forAll = (origin: Origin): Limit[] => [
    ['all', total],
    [origin, mostOfOneOrigin],
  ];
  const ofWork = ({ userId, type }: Work): Limit[] => [
    [TYPE + type, mostOfOneType],
    ...(userId === null ? [] : [[PERSON + userId, mostOfOnePerson] as const]),
  ];
  const demand = (work: Work, limits: Limit[] = []): Demand => ({
    user: work.userId,
    limits: [...limits, ...ofWork(work)],
  });

  const free = (origin: Origin): number => Math.max(0, shares.free(forAll(origin)));

  /** @returns what follows `prefix` in the keys under which so many slots are in use or waited for. */
  const keysAt = (most: number, prefix: string, waiting: Work[]): string[] => {
    const counts = new Map(shares.inUse());
    for (const [key] of waiting.flatMap(ofWork)) counts.set(key, (counts.get(key) ?? 0) + 1);
    return [...counts].flatMap(([key, count]) =>
      key.startsWith(prefix) && count >= most ? [key.slice(prefix.length)] : [],
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
    peopleAtShare: (waiting = []) => keysAt(mostOfOnePerson, PERSON, waiting),
    typesAtShare: (waiting = []) =>
      keysAt(mostOfOneType + (waiting.length > 0 ? waitingOfOneType : 0), TYPE, waiting),
  };
}

const PERSON = 'person ';
const TYPE = 'type ';
