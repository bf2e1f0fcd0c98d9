// The report of a job's run.
import type { Attention } from '../platform/sql/backlog.ts';

/** Sums by name, for example `payments fetched` or `deposits recorded`. */
export type Counts = Record<string, number>;

/** An item that could not be checked or recorded. The next run retries it. */
export type Failure = { stage: string; id: string; error: string };

/** An item that a job has deliberately not changed. */
export type Skipped = { id: string; why: string };

/** An object at the provider that belongs to none of our rows. */
export type OrphanedObject = { kind: 'transfer' | 'payout'; providerRef: string; handle: string };

export type ReconcileReport = {
  /** The night (`2026-11-21`), or the run's name. */
  run: string;
  /** False if its signal interrupted it. Another run with the same name continues where it stopped. */
  isFinished: boolean;
  counts: Counts;
  /** The first hundred items that this process could not check. `counts` has the number of all. */
  failures: Failure[];
  /** The first hundred objects at the provider without a row here that this process has seen. `listOrphans` lists all. */
  orphans: OrphanedObject[];
  /** The number of open discrepancies after this run. */
  openDiscrepancies: number;
  /** Work that waits for an operator after this run. */
  waiting: Pick<Attention, 'manualReview' | 'payoutFailed' | 'exhaustedEffects'>;
};
