// A runner asks the database for its tasks' numbers when it first looks for a job, and keeps the answer, also when it was
// an error: had the database failed at that very moment, it would take no job for ever. It is then replaced.
import type { WorkerEvents } from 'graphile-worker';

const HEARD_WITHIN_MS = 10_000;

/** @returns how to end the watch. Calls `replace` unless a look for jobs succeeds soon. */
export function watchForDeafness(events: WorkerEvents, replace: () => void): { end: () => void } {
  const timer = setTimeout(replace, HEARD_WITHIN_MS).unref();
  const end = (): void => clearTimeout(timer);
  for (const heard of ['localQueue:getJobs:complete', 'worker:getJob:empty', 'job:start'] as const)
    events.once(heard, end);
  return { end };
}
