// Compares what we believe with what the provider says: everything unfinished, every deposit, every payout since. All of it
// goes through the same events and machines as a callback does, so it may be done at any time, and twice.
import type { App } from '../app.ts';
import type { ReconcileProgress, ReconcileReport } from './report.ts';
import { beginRun, stageOf, takePage } from './run.ts';
import { add, createTally } from './tally.ts';
import { openContradictions, waitingForPeople } from './waiting.ts';

export type { ReconcileProgress, ReconcileReport } from './report.ts';

export type ReconcileOptions = {
  /** The run's name, at most 60 characters: under a name that is unfinished it goes on. Without one it is a run of its own. */
  run?: string;
  onProgress?: (progress: ReconcileProgress) => void;
  /** Stops after what is in hand; nothing done is lost. */
  signal?: AbortSignal;
};

/** @throws only when the database fails: what the provider does not answer is counted, noted, and left for the next run. */
export async function reconcile(app: App, options: ReconcileOptions = {}): Promise<ReconcileReport> {
  const { onProgress, signal } = options;
  const seen = createTally();
  let run = await beginRun(app, options.run ?? `by-hand-${app.clock.now().toISOString()}`);
  while (run.finished_at === null && !signal?.aborted) {
    onProgress?.({ stage: stageOf(run), counts: run.counts });
    try {
      const taken = await takePage(app, run, signal);
      run = taken.run;
      if (taken.isOurs) add(seen, taken.tally);
    } catch (error) {
      if (!signal?.aborted) throw error;
    }
  }
  onProgress?.({ stage: stageOf(run), counts: run.counts });
  return {
    run: run.run,
    isFinished: run.finished_at !== null,
    counts: run.counts,
    failures: seen.failures,
    orphans: seen.orphans,
    openContradictions: await openContradictions(app.db),
    waiting: await waitingForPeople(app.db),
  };
}
