// Runs a reconciliation by hand. It compares our records with the provider's: everything unfinished, all deposits, and all payouts since
// the last run. Everything is applied through the same machines as a callback, so it may run at any time, and twice.

import { countAttention } from '../lifecycle/attention.ts';
import type { Attention } from '../tables/backlog.ts';
import type { Counts, Failure, OrphanedObject } from './counters.ts';
import { runJob, type WorkOptions } from './run-by-hand.ts';
import type { JobServices } from './stage.ts';

export type { Progress as ReconcileProgress, WorkOptions as ReconcileOptions } from './run-by-hand.ts';

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
  openDiscrepancies: number;
  /** Work that waits for an operator after this run. */
  waiting: Pick<Attention, 'manualReview' | 'payoutFailed' | 'exhaustedEffects'>;
};

/** Throws only if the database fails. Items for which the provider does not answer are counted, recorded and retried by the next run. */
export async function reconcile(services: JobServices, options: WorkOptions = {}): Promise<ReconcileReport> {
  const { run, counters } = await runJob(services, 'reconcile', options);
  const { openDiscrepancies, manualReview, payoutFailed, exhaustedEffects } = await countAttention(
    services.db,
  );
  return {
    run: run.run,
    isFinished: run.finishedAt !== null,
    counts: run.counts,
    failures: counters.failures,
    orphans: counters.orphans,
    openDiscrepancies,
    waiting: { manualReview, payoutFailed, exhaustedEffects },
  };
}
