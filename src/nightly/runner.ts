// Carries out the nightly runs that are due: one process has a run at a time, and each page is a commit of its own, so that
// another process continues where one stopped.
import type { App } from '../app.ts';
import { every, type Recurring } from '../outbox/every.ts';
import { LeaseLost } from '../outbox/leases.ts';
import { runInBackground } from '../provider/call-priority.ts';
import { claimDueRun, endEarlierRuns, endRun, keepRun, releaseRun } from '../sql/job-runs.ts';
import type { JobName } from './jobs.ts';
import { processPage, type Run } from './run.ts';
import { jobNames, planNextNight, planRepetition } from './schedule.ts';

const LOOK_EVERY_MS = 5_000;
/** The delay after the first failure of a page. Each further failure doubles it. */
const FIRST_DELAY_MS = 60_000;
const LONGEST_DELAY_MS = 60 * 60_000;
/** A job may take hours. */
const NO_LIMIT_MS = 2 ** 31 - 1;

/** @param owner the id under which this process holds its leases. */
export function startNightlyRunner(app: App, owner: () => string): Recurring {
  const stopping = new AbortController();
  const working = jobNames.map((job) =>
    every(
      LOOK_EVERY_MS,
      async () => {
        await planNextNight(app.db, job, app.clock.now());
        await runInBackground(() => runDue(app, job, owner(), stopping.signal));
      },
      app,
      NO_LIMIT_MS,
    ),
  );
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(working.map(({ stop }) => stop()));
    },
  };
}

/** Works on the job's due run, if there is one that no other process has, to its end. */
export async function runDue(app: App, job: JobName, owner: string, signal?: AbortSignal): Promise<void> {
  let run = await claimDueRun(app.db, { job, owner, now: app.clock.now() });
  if (!run) return;
  // A run that is still in progress when the next night begins gives way to that one.
  await endEarlierRuns(app.db, { job, run: run.run });
  try {
    while (run.finishedAt === null && !signal?.aborted) run = await nextPage(app, run, signal);
    if (run.finishedAt === null) await giveBack(app, run);
  } catch (error) {
    if (error instanceof LeaseLost) return;
    if (signal?.aborted) return await giveBack(app, run);
    app.log.error({ code: 'nightly.page_failed', error, job, run: run.run }, 'a nightly page failed');
    await giveBack(app, { ...run, failures: run.failures + 1 });
  }
}

async function nextPage(app: App, run: Run, signal?: AbortSignal): Promise<Run> {
  const processed = await processPage(app, run, signal, async (tx, advanced) => {
    await assertOurs(tx, run, advanced.finishedAt !== null);
    if (advanced.finishedAt !== null) await planRepetition(tx, advanced, app.clock.now());
  });
  if (!processed.isOurs) throw new LeaseLost('run', `${run.job} ${run.run}`);
  return { ...processed.run, leaseToken: run.leaseToken };
}

/** @throws LeaseLost when another process has the run, or the next night has begun: its page is taken back. */
async function assertOurs(tx: App['db'], { job, run, leaseToken }: Run, isFinished: boolean): Promise<void> {
  const updated = await (isFinished ? endRun : keepRun)(tx, { job, run, leaseToken });
  if (updated !== 1) throw new LeaseLost('run', `${job} ${run}`);
}

/** Ends the lease. Another process, or a later attempt, continues at the same page. */
async function giveBack({ db }: App, { job, run, leaseToken, failures }: Run): Promise<void> {
  await releaseRun(db, { job, run, leaseToken, failures, delayMs: delayAfter(failures) });
}

const delayAfter = (failures: number): number =>
  failures === 0 ? 0 : Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures - 1, 10));
