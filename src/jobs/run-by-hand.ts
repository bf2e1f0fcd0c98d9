// Runs all pages of a job by hand, from the position of its run.
import { add, type Counters, createCounters } from './counters.ts';
import type { JobName } from './jobs.ts';
import { beginRun, processPage, type Run, stageOf } from './run.ts';
import type { JobServices } from './stage.ts';

export type Progress = {
  stage: string;
  /** The sums of the whole run so far, including the pages of other processes. */
  counts: Record<string, number>;
};

export type WorkOptions = {
  /** The name of the run, at most 60 characters. An unfinished run with this name is continued. Without a name, a new run begins. */
  run?: string;
  onProgress?: (progress: Progress) => void;
  /** Stops the run at its current page. A later run with the same name continues there. */
  signal?: AbortSignal;
};

/**
 * Runs the job until it ends or its signal is aborted. Throws only if the database fails.
 * @returns the run at its end, and the counts and lists of this process's pages.
 */
export async function runJob(
  services: JobServices,
  job: JobName,
  options: WorkOptions = {},
): Promise<{ run: Run; counters: Counters }> {
  const { onProgress, signal } = options;
  const counters = createCounters();
  let run = await beginRun(services, job, options.run ?? `by-hand-${services.clock.now().toISOString()}`);
  while (run.finishedAt === null && !signal?.aborted) {
    onProgress?.({ stage: stageOf(run), counts: run.counts });
    try {
      const taken = await processPage(services, run, signal);
      run = taken.run;
      if (taken.isOurs) add(counters, taken.counters);
    } catch (error) {
      if (!signal?.aborted) throw error;
    }
  }
  onProgress?.({ stage: stageOf(run), counts: run.counts });
  return { run, counters };
}
