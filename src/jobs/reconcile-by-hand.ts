// Runs a reconciliation by hand. It compares our records with the provider's: everything unfinished, all deposits, and all payouts since
// the last run. Everything is applied through the same machines as a callback, so it may run at any time, and twice.

import { countAttention } from '../lifecycle/attention.ts';
import type { ReconcileReport } from './counters.ts';
import { runJob, type WorkOptions } from './run-by-hand.ts';
import type { JobServices } from './stage.ts';

export type { ReconcileReport } from './counters.ts';
export type { Progress as ReconcileProgress, WorkOptions as ReconcileOptions } from './run-by-hand.ts';

/** Throws only if the database fails. Items for which the provider does not answer are counted, recorded and retried by the next run. */
export async function reconcile(services: JobServices, options: WorkOptions = {}): Promise<ReconcileReport> {
  const { run, seen } = await runJob(services, 'reconcile', options);
  const { openDiscrepancies, manualReview, payoutFailed, exhaustedEffects } = await countAttention(
    services.db,
  );
  return {
    run: run.run,
    isFinished: run.finishedAt !== null,
    counts: run.counts,
    failures: seen.failures,
    orphans: seen.orphans,
    openDiscrepancies,
    waiting: { manualReview, payoutFailed, exhaustedEffects },
  };
}
