// What a job says of itself when it is done.
import type { WaitingForPeople } from '../queries/waiting-for-people.ts';

/** Sums so far, by what was done: `payments fetched`, `deposits recorded` and the like. */
export type Counts = Record<string, number>;

/** One thing that could not be checked or recorded; the next run tries it again. */
export type Failure = { stage: string; id: string; error: string };

/** Something that a job has rightly left as it is. */
export type Skipped = { id: string; why: string };

/** Something at the provider that no row of ours ordered. */
export type OrphanedObject = { kind: 'transfer' | 'payout'; providerRef: string; handle: string };

export type ReconcileReport = {
  /** The night (`2026-11-21`), or what the run was named. */
  run: string;
  /** False when it was broken off by its signal: run again under the same name, it goes on where it stopped. */
  isFinished: boolean;
  counts: Counts;
  /** What this process could not check; the first hundred. `counts` has them all. */
  failures: Failure[];
  /** What exists at the provider without a row here, seen on the way; the first hundred. See `listOrphans`. */
  orphans: OrphanedObject[];
  /** Discrepancies that wait for a person, after this run. */
  openDiscrepancies: number;
  /** After this run. */
  waiting: WaitingForPeople;
};
