// How many pieces of work a process carries out concurrently, and which share of them one person, one type of work, and each of
// the two origins may have: what was handed off after its commit, and what was claimed. What is urgent has a few slots more, so
// that it begins where calls of polls and callbacks hang in all the others.
import type { Work } from './work.ts';

/** What was handed off goes first. */
export const origins = ['handed_off', 'claimed'] as const;
export type Origin = (typeof origins)[number];

export type Slots = {
  /** Whether there is a slot for it, of its shares too. */
  mayBegin: (origin: Origin, work: Work) => boolean;
  /** @returns how to free the slot again. */
  begin: (origin: Origin, work: Work) => () => void;
  /** Whether its person and its type have less than their shares. */
  isWithinShares: (work: Work) => boolean;
  /** How many more of this origin may begin, shares of people and types aside. */
  free: (origin: Origin) => number;
  /** How many more that are urgent may begin where no slot is free. */
  freeForUrgent: () => number;
  /** People who have their share of the slots, or will have it with what waits for one. */
  peopleAtShare: (waiting?: Work[]) => string[];
  /** Types that have their share, and a quarter of it waiting. */
  typesAtShare: (waiting?: Work[]) => string[];
};

/** @param total at least 1. */
export function createSlots(total: number): Slots {
  const mostOfOneOrigin = Math.max(1, total - Math.ceil(total / 4));
  const mostOfOnePerson = Math.max(2, Math.ceil(total / 4));
  // Less than an origin has: where calls of one type hang, other types go on. More than a person has: where those of one
  // person hang, other people's go on.
  const mostOfOneType = Math.min(mostOfOneOrigin, Math.max(Math.floor(total / 2), mostOfOnePerson + 1));
  const waitingOfOneType = Math.ceil(total / 4);
  const onlyForUrgent = Math.ceil(total / 8);
  const inUse = createCounts();

  const free = (origin: Origin): number =>
    Math.max(0, Math.min(total - inUse.of('all'), mostOfOneOrigin - inUse.of(origin)));

  const freeForUrgent = (): number => onlyForUrgent - inUse.of('only for urgent');

  const isWithinShares = ({ userId, type }: Work): boolean =>
    inUse.of(typeKey(type)) < mostOfOneType &&
    (userId === null || inUse.of(personKey(userId)) < mostOfOnePerson);

  const withWaiting = (waiting: Work[]) => createCounts(inUse.all(), waiting.flatMap(keysOf));

  return {
    free,
    freeForUrgent,
    mayBegin: (origin, work) =>
      (free(origin) > 0 || (work.isUrgent === true && freeForUrgent() > 0)) && isWithinShares(work),
    begin: (origin, work) => {
      const slot = free(origin) > 0 ? ['all', origin] : ['only for urgent'];
      const keys = [...slot, ...keysOf(work)];
      for (const key of keys) inUse.add(key, 1);
      return () => {
        for (const key of keys) inUse.add(key, -1);
      };
    },
    isWithinShares,
    peopleAtShare: (waiting = []) => withWaiting(waiting).atLeast(mostOfOnePerson, PERSON),
    typesAtShare: (waiting = []) =>
      withWaiting(waiting).atLeast(mostOfOneType + (waiting.length > 0 ? waitingOfOneType : 0), TYPE),
  };
}

const PERSON = 'person ';
const personKey = (userId: string): string => `${PERSON}${userId}`;
const TYPE = 'type ';
const typeKey = (type: string): string => `${TYPE}${type}`;

const keysOf = ({ userId, type }: Work): string[] => [
  typeKey(type),
  ...(userId === null ? [] : [personKey(userId)]),
];

/** @param more keys to be counted once more, each. */
function createCounts(known: Iterable<[string, number]> = [], more: string[] = []) {
  const counts = new Map(known);
  const of = (key: string): number => counts.get(key) ?? 0;
  const add = (key: string, many: number): void => {
    const sum = of(key) + many;
    if (sum === 0) counts.delete(key);
    else counts.set(key, sum);
  };
  for (const key of more) add(key, 1);
  return {
    of,
    add,
    all: (): Iterable<[string, number]> => counts,
    /** @returns what follows `prefix` in the keys that have so many. */
    atLeast: (many: number, prefix: string): string[] =>
      [...counts].flatMap(([key, count]) =>
        key.startsWith(prefix) && count >= many ? [key.slice(prefix.length)] : [],
      ),
  };
}
