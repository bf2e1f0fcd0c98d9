// Compares what we believe with what the provider says: everything unfinished, every deposit, every payout since.
import type { App } from '../app.ts';
import type { ReconcileProgress, ReconcileReport } from './report.ts';

export type { ReconcileProgress, ReconcileReport } from './report.ts';

export type ReconcileOptions = {
  /** The run's name: under a name that is unfinished it goes on. Without one it begins a run of its own. */
  run?: string;
  onProgress?: (progress: ReconcileProgress) => void;
  /** Stops after what is in hand; nothing done is lost. */
  signal?: AbortSignal;
};

export function reconcile(_app: App, _options: ReconcileOptions = {}): Promise<ReconcileReport> {
  return Promise.reject(new Error('still to be written'));
}
