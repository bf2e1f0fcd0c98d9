// Repeatable random numbers: each seed and purpose has its own sequence, so that an additional decision for one purpose changes
// nothing for another.
import { hash } from 'node:crypto';

export type Random = {
  /** A number from 0 (inclusive) to 1 (exclusive). */
  next: () => number;
  happens: (probability: number) => boolean;
  /** A whole number from `min` to `max`, both inclusive. */
  between: (min: number, max: number) => number;
  pick: <Item>(items: readonly [Item, ...Item[]]) => Item;
  /** Returns `count` of the items, or all of them, in a random order. @throws TypeError if `count` is not a whole number. */
  sample: <Item>(items: readonly Item[], count: number) => Item[];
};

export function createRandom(seed: number, purpose: string | number): Random {
  let drawn = 0;
  const next = (): number => {
    drawn += 1;
    return Number.parseInt(hash('sha256', `${seed}/${purpose}/${drawn}`).slice(0, 12), 16) / 2 ** 48;
  };
  const between = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    happens: (probability) => next() < probability,
    between,
    pick: (items) => items[between(0, items.length - 1)] ?? items[0],
    sample: (items, count) => {
      if (!Number.isInteger(count)) throw new TypeError('a sample has a whole number of items');
      const placed = items.map((item) => ({ item, at: next() })).toSorted((one, other) => one.at - other.at);
      return placed.slice(0, count).map(({ item }) => item);
    },
  };
}
