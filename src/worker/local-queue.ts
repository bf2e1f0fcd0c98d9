// The queue's store of jobs fetched ahead. Asked to end while it holds some, the library (0.18.0) first calls it ended, and
// then refuses to count the return of those jobs: nobody waits for it, and when the database is away as well, the failure
// that nobody hears of ends the whole process.
import type { WorkerEvents } from 'graphile-worker';

type Counting = { backgroundCount: number; background: (promise: Promise<unknown>) => void };

/** Makes the end of each store wait for what it gives back, and hear of it when that fails. Call it before `run`. */
export function mendLocalQueues(events: WorkerEvents): void {
  events.on('localQueue:init', ({ localQueue }) => {
    const queue = localQueue as unknown as Counting;
    const background = queue.background.bind(queue);
    queue.background = (promise) => {
      // As long as something is under way, the library counts what else begins.
      queue.backgroundCount += 1;
      background(promise);
      queue.backgroundCount -= 1;
    };
  });
}
