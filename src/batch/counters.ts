// What one page of work came to. It is added to the run's sums in the commit that says the page is done.
import type { Failure, Left, Orphaned } from './report.ts';

/** Of each list so many are kept; the sums have them all. */
const MOST_KEPT = 100;

export const NOT_LOOKED_AT = 'not looked at';

export type Tally = {
  counts: Record<string, number>;
  failures: Failure[];
  orphans: Orphaned[];
  left: Left[];
};

export const createTally = (): Tally => ({ counts: {}, failures: [], orphans: [], left: [] });

/** Counts what there is something of: a sum of nothing says nothing. */
export function count({ counts }: Pick<Tally, 'counts'>, what: string, many = 1): void {
  if (many > 0) counts[what] = (counts[what] ?? 0) + many;
}

export function fail(tally: Tally, failure: Failure): void {
  count(tally, NOT_LOOKED_AT);
  keep(tally.failures, [failure]);
}

/** What need not be tried again this night: it waits for something else. */
export const leave = (tally: Tally, left: Left): void => keep(tally.left, [left]);

export function add(sum: Tally, page: Tally): void {
  keep(sum.failures, page.failures);
  keep(sum.orphans, page.orphans);
  keep(sum.left, page.left);
}

/** @returns the sums of both. */
export function together(one: Record<string, number>, other: Record<string, number>): Record<string, number> {
  const sums = { counts: { ...one } };
  for (const [what, many] of Object.entries(other)) count(sums, what, many);
  return sums.counts;
}

export function keep<Item>(list: Item[], items: Item[]): void {
  list.push(...items.slice(0, Math.max(0, MOST_KEPT - list.length)));
}
