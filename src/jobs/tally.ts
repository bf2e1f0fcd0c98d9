// What one page of work came to. It is added to the run's sums in the commit that says the page is done.
import type { Failure, Orphaned } from './report.ts';

/** Of each list so many are kept; the sums have them all. */
const MOST_KEPT = 100;

export const NOT_LOOKED_AT = 'not looked at';

export type Tally = {
  counts: Record<string, number>;
  failures: Failure[];
  orphans: Orphaned[];
};

export const createTally = (): Tally => ({ counts: {}, failures: [], orphans: [] });

/** Counts what there is something of: a sum of nothing says nothing. */
export function count({ counts }: Pick<Tally, 'counts'>, what: string, many = 1): void {
  if (many > 0) counts[what] = (counts[what] ?? 0) + many;
}

export function fail(tally: Tally, failure: Failure): void {
  count(tally, NOT_LOOKED_AT);
  keep(tally.failures, [failure]);
}

export function add(sum: Tally, page: Tally): void {
  keep(sum.failures, page.failures);
  keep(sum.orphans, page.orphans);
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
