// Tells whether this process is busy: whether its event loop had hardly a pause lately.
import { performance } from 'node:perf_hooks';

const WINDOW_MS = 500;

/**
 * @param busyFrom the share of time in which the event loop runs code, from which the process is busy.
 * @returns a function that tells whether the process was busy in the last half second or, if it is asked more rarely, since it was asked.
 */
export function watchEventLoop(busyFrom = 0.8): () => boolean {
  let [since, sinceMs, isBusy] = [performance.eventLoopUtilization(), performance.now(), false];
  return () => {
    if (performance.now() - sinceMs < WINDOW_MS) return isBusy;
    isBusy = performance.eventLoopUtilization(since).utilization >= busyFrom;
    [since, sinceMs] = [performance.eventLoopUtilization(), performance.now()];
    return isBusy;
  };
}
