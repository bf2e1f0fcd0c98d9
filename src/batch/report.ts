// The report of a job's run.
import type { Attention } from '../sql/backlog.ts';

/** Sums so far, by what was done: `payments fetched`, `deposits recorded` and the like. */
export type Counts = Record<string, number>;

/** One item that could not be checked or recorded; the next run tries it again. */
export type Failure = { stage: string; id: string; error: string };

/** An item that a job has deliberately left as it is. */
export type Skipped = { id: string; why: string };

/** An object at the provider that no row of ours ordered. */
export type OrphanedObject = { kind: 'transfer' | 'payout'; providerRef: string; handle: string };

export type ReconcileReport = {
  /** The night (`2026-11-21`), or the run's name. */
  run: string;
  /** False when it was interrupted by its signal: run again under the same name, it continues where it stopped. */
  isFinished: boolean;
  counts: Counts;
  /** What this process could not check; the first hundred. `counts` counts all. */
  failures: Failure[];
  /** Objects at the provider without a row here, seen by this process; the first hundred. See `listOrphans`. */
  orphans: OrphanedObject[];
  /** Discrepancies that wait for an operator, after this run. */
  openDiscrepancies: number;
  /** After this run. */
  waiting: Pick<Attention, 'manualReview' | 'payoutFailed' | 'exhaustedEffects'>;
};
