// Runs one page of a nightly run as a piece of work (src/outbox/). Each page is a commit, after which any process claims the next one.

import { LeaseLost } from '../outbox/leases.ts';
import type { Work } from '../outbox/work.ts';
import { endEarlierRuns, endPage, findLeasedRun, releasePage } from '../tables/job-runs/statements.ts';
import { COMPARE_JOB, SLICE_JOB } from '../tables/job-runs/work.ts';
import type { Db } from '../tables/orm.ts';
import { isKnownJob, isNightly } from './jobs.ts';
import { processPage, type Run } from './run.ts';
import { planRepetition } from './schedule.ts';
import type { JobServices } from './stage.ts';

/** The delay after the first failure of a page. Each further failure doubles it. People wait for a comparison of the lists. */
const FIRST_DELAY_MS = 60_000;
const FIRST_DELAY_OF_COMPARISON_MS = 1_000;
const LONGEST_DELAY_MS = 60 * 60_000;

/** @param signal aborted when this process stops. The page is then released and begins again in another process. */
export async function runNightlyPage(
  services: JobServices,
  { id, token }: Work,
  signal?: AbortSignal,
): Promise<void> {
  const { db, log } = services;
  const run = await findLeasedRun(db, { id, token });
  if (!run) throw new LeaseLost('page', id);
  // A newer version has planned it, and runs it.
  if (!isKnownJob(run.job)) return await release(db, run, run.failures, FIRST_DELAY_MS);
  if (run.job !== SLICE_JOB) await endEarlierRuns(db, run);
  try {
    const { isOurs } = await processPage(services, run, signal, (tx, advanced) => end(tx, run, advanced));
    if (!isOurs) throw new LeaseLost('page', id);
  } catch (error) {
    if (error instanceof LeaseLost) throw error;
    if (signal?.aborted) return await release(db, run, run.failures, 0);
    const { job } = run;
    log.error({ code: 'nightly.page_failed', error, job, run: run.run }, 'a nightly page failed');
    await release(db, run, run.failures + 1, delayAfter(job, run.failures));
  }
}

/** @throws LeaseLost if another process has the run, or the next night is due. The page is then rolled back. */
async function end(tx: Db, { job, run, leaseToken }: Run, advanced: Run): Promise<void> {
  const isFinished = advanced.finishedAt !== null;
  const dueAt = isFinished ? null : advanced.updatedAt;
  if ((await endPage(tx, { job, run, leaseToken, dueAt })) !== 1)
    throw new LeaseLost('page', `${job} ${run}`);
  if (isFinished && isKnownJob(job) && isNightly(job)) await planRepetition(tx, advanced);
}

/** Ends the lease. The same page is due again after the delay. */
async function release(db: Db, run: Run, failures: number, delayMs: number): Promise<void> {
  await releasePage(db, { job: run.job, run: run.run, leaseToken: run.leaseToken, failures, delayMs });
}

function delayAfter(job: string, earlierFailures: number): number {
  const firstMs = job === COMPARE_JOB ? FIRST_DELAY_OF_COMPARISON_MS : FIRST_DELAY_MS;
  return Math.min(LONGEST_DELAY_MS, firstMs * 2 ** Math.min(earlierFailures, 10));
}
