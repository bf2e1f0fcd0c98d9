// When the worker of this process last showed that it lives. By a clock that nobody steps, so that a change of the time of day
// makes no worker dead.
import type { WorkerEvents } from 'graphile-worker';

export type Vitals = {
  /** The lock by which other processes know that this worker lives was held. */
  beat: () => void;
  /** The queue answered, or a job began or ended. */
  progress: () => void;
  /** For how long neither has been seen, in milliseconds; infinite before the first time. */
  ages: () => { heartbeatMs: number; progressMs: number };
};

export function createVitals(nowMs: () => number = () => performance.now()): Vitals {
  let heartbeatAt = Number.NEGATIVE_INFINITY;
  let progressAt = Number.NEGATIVE_INFINITY;
  return {
    beat: () => {
      heartbeatAt = nowMs();
    },
    progress: () => {
      progressAt = nowMs();
    },
    ages: () => ({ heartbeatMs: nowMs() - heartbeatAt, progressMs: nowMs() - progressAt }),
  };
}

/** An empty queue answers, too. */
export function watchProgress(events: WorkerEvents, { progress }: Vitals): void {
  for (const seen of [
    'localQueue:getJobs:complete',
    'worker:getJob:empty',
    'job:start',
    'job:complete',
  ] as const)
    events.on(seen, progress);
}
