// Works through a job by hand, page after page, from where its run stands to its end.
import type { App } from '../app.ts';
import { add, type Counters, createCounters } from '../batch/counters.ts';
import type { JobName } from './jobs.ts';
import { beginRun, processPage, type Run, stageOf } from './run.ts';

export type Progress = {
  stage: string;
  /** Sums so far, of the whole run: also of what another process did of it. */
  counts: Record<string, number>;
};

export type WorkOptions = {
  /** The run's name, at most 60 characters: under a name that is unfinished it goes on. Without one it is a run of its own. */
  run?: string;
  /** Told after every page. */
  onProgress?: (progress: Progress) => void;
  /** Stops after what is in hand; nothing done is lost. */
  signal?: AbortSignal;
};

/**
 * @returns the run as it then is, and what this process saw on the way.
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
  while (run.finished_at === null && !signal?.aborted) {
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
