// The counts of one page of a job. The commit that ends the page adds them to the sums of the run.

/** Maximum number of entries of each list. The sums count all of them. */
const LIST_LIMIT = 100;

export const NOT_CHECKED = 'not checked';

/** Sums by name, for example `payments fetched` or `deposits recorded`. */
export type Counts = Record<string, number>;

/** An item that could not be checked or recorded. The next run retries it. */
export type Failure = { stage: string; id: string; error: string };

/** An item that a job has deliberately not changed. */
export type Skipped = { id: string; why: string };

/** An object at the provider that belongs to none of our rows. */
export type OrphanedObject = { kind: 'transfer' | 'payout'; providerRef: string; handle: string };

export type Counters = {
  counts: Counts;
  failures: Failure[];
  orphans: OrphanedObject[];
  skipped: Skipped[];
};

export const createCounters = (): Counters => ({ counts: {}, failures: [], orphans: [], skipped: [] });

export function count({ counts }: Pick<Counters, 'counts'>, what: string, increment = 1): void {
  if (increment > 0) counts[what] = (counts[what] ?? 0) + increment;
}

export function add(sum: Counters, page: Counters): void {
  keep(sum.failures, page.failures);
  keep(sum.orphans, page.orphans);
  keep(sum.skipped, page.skipped);
}

export function sumOf(one: Record<string, number>, other: Record<string, number>): Record<string, number> {
  const sums = { counts: { ...one } };
  for (const [what, increment] of Object.entries(other)) count(sums, what, increment);
  return sums.counts;
}

export function keep<Item>(list: Item[], items: Item[]): void {
  list.push(...items.slice(0, Math.max(0, LIST_LIMIT - list.length)));
}
