// Carries out the nightly runs that are due: one process has a run at a time, and each page is a commit of its own, so that
// another process continues where one stopped.
import { sql } from 'kysely';
import type { App } from '../app.ts';
import { every, type Recurring } from '../outbox/every.ts';
import { dueIn, LeaseLost } from '../outbox/leases.ts';
import { runInBackground } from '../provider/call-priority.ts';
import type { JobName } from './jobs.ts';
import { processPage, type Run } from './run.ts';
import { endEarlierRuns, jobNames, planNextNight, planRepetition } from './schedule.ts';

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
  let run = await claimRun(app, job, owner);
  if (run === null) return;
  await endEarlierRuns(app.db, run);
  try {
    while (run.finished_at === null && !signal?.aborted) run = await nextPage(app, run, signal);
    if (run.finished_at === null) await giveBack(app, run);
  } catch (error) {
    if (error instanceof LeaseLost) return;
    if (signal?.aborted) return await giveBack(app, run);
    app.log.error({ code: 'nightly.page_failed', error, job, run: run.run }, 'a nightly page failed');
    await giveBack(app, { ...run, failures: run.failures + 1 });
  }
}

async function nextPage(app: App, run: Run, signal?: AbortSignal): Promise<Run> {
  const processed = await processPage(app, run, signal, async (tx, advanced) => {
    await assertOurs(tx, run, advanced.finished_at !== null);
    if (advanced.finished_at !== null) await planRepetition(tx, advanced, app.clock.now());
  });
  if (!processed.isOurs) throw new LeaseLost('run', `${run.job} ${run.run}`);
  return { ...processed.run, lease_token: run.lease_token };
}

/** Rows that this process had, and lost with an answer of the database, are claimed again, too. */
async function claimRun({ db, clock }: App, job: JobName, owner: string): Promise<Run | null> {
  const claimed = await db
    .updateTable('job_runs')
    .set({
      leased_by: owner,
      lease_token: sql<number>`lease_token + 1`,
      started_at: sql<Date>`coalesce(started_at, ${clock.now()})`,
    })
    .where('job', '=', job)
    .where('run', '=', (runs) =>
      runs
        .selectFrom('job_runs')
        .select('run')
        .where('job', '=', job)
        .where('due_at', '<=', sql<Date>`now()`)
        .where((is) => is.or([is('leased_by', 'is', null), is('leased_by', '=', owner)]))
        // The latest night: an earlier one that is still in progress gives way to it.
        .orderBy('run', 'desc')
        .limit(1)
        .forNoKeyUpdate()
        .skipLocked(),
    )
    .returningAll()
    .executeTakeFirst();
  return claimed ?? null;
}

/** @throws LeaseLost when another process has the run, or the next night has begun: its page is taken back. */
async function assertOurs(tx: App['db'], run: Run, isFinished: boolean): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('job_runs')
    .set(isFinished ? { due_at: null, leased_by: null } : { due_at: sql<Date>`now()`, failures: 0 })
    .where('job', '=', run.job)
    .where('run', '=', run.run)
    .where('lease_token', '=', run.lease_token)
    .where((is) =>
      is.not(
        is.exists(
          is
            .selectFrom('job_runs as next')
            .select('next.run')
            .where('next.job', '=', run.job)
            .where('next.run', '>', run.run)
            .where('next.due_at', '<=', sql<Date>`now()`),
        ),
      ),
    )
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) throw new LeaseLost('run', `${run.job} ${run.run}`);
}

/** Ends the lease. Another process, or a later attempt, continues at the same page. */
async function giveBack({ db }: App, { job, run, lease_token: token, failures }: Run): Promise<void> {
  await db
    .updateTable('job_runs')
    .set({ leased_by: null, failures, due_at: dueIn(delayAfter(failures)) })
    .where('job', '=', job)
    .where('run', '=', run)
    .where('lease_token', '=', token)
    .execute();
}

const delayAfter = (failures: number): number =>
  failures === 0 ? 0 : Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures - 1, 10));
