// Runs a job by hand, page after page, from its run's position to its end.
import type { App } from '../app.ts';
import { add, type Counters, createCounters } from '../batch/counters.ts';
import type { JobName } from './jobs.ts';
import { beginRun, processPage, type Run, stageOf } from './run.ts';

export type Progress = {
  stage: string;
  /** Sums so far, of the whole run: also of pages that another process worked on. */
  counts: Record<string, number>;
};

export type WorkOptions = {
  /** The run's name, at most 60 characters: an unfinished run of this name is continued. Without one it is a new run. */
  run?: string;
  /** Called after every page. */
  onProgress?: (progress: Progress) => void;
  /** Stops after the current page; nothing done is lost. */
  signal?: AbortSignal;
};

/**
 * @returns the run as it then is, and what this process observed.
 * @throws only when the database fails.
 */
export async function runJob(
  app: App,
  job: JobName,
  options: WorkOptions = {},
): Promise<{ run: Run; seen: Counters }> {
  const { onProgress, signal } = options;
  const seen = createCounters();
  let run = await beginRun(app, job, options.run ?? `by-hand-${app.clock.now().toISOString()}`);
  while (run.finishedAt === null && !signal?.aborted) {
    onProgress?.({ stage: stageOf(run), counts: run.counts });
    try {
      const taken = await processPage(app, run, signal);
      run = taken.run;
      if (taken.isOurs) add(seen, taken.counters);
    } catch (error) {
      if (!signal?.aborted) throw error;
    }
  }
  onProgress?.({ stage: stageOf(run), counts: run.counts });
  return { run, seen };
}
