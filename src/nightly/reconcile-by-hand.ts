// Compares our records with the provider's: everything unfinished, every deposit, every payout since. All of it goes
// through the same events and machines as a callback does, so it may be run at any time, and twice.
import type { App } from '../app.ts';
import type { ReconcileReport } from '../batch/report.ts';
import { countAttention } from '../queries/attention.ts';
import { runJob, type WorkOptions } from './run-by-hand.ts';

export type { ReconcileReport } from '../batch/report.ts';
export type { Progress as ReconcileProgress, WorkOptions as ReconcileOptions } from './run-by-hand.ts';

/** @throws only when the database fails: what the provider does not answer is counted, noted, and left for the next run. */
export async function reconcile(app: App, options: WorkOptions = {}): Promise<ReconcileReport> {
  const { run, seen } = await runJob(app, 'reconcile', options);
  const { openDiscrepancies, manualReview, payoutFailed, exhaustedEffects } = await countAttention(app.db);
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
