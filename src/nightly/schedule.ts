// Schedules the nightly jobs, once a night for any number of processes: the queue's clock is in the database, each page
// of a run is a job of its own, and the next one is queued in the commit that ends the page.
import { type CronItem, parseCronItems, type Task } from 'graphile-worker';
import { sql } from 'kysely';
import type { App } from '../app.ts';
import { NOT_CHECKED } from '../batch/counters.ts';
import type { Db } from '../database/orm.ts';
import { type JobName, jobs } from './jobs.ts';
import { beginRun, processPage, type Run } from './run.ts';

const HOUR_MS = 60 * 60_000;
/** The most runs of one night: what could not be checked in the first is tried again an hour later. */
const RUNS_A_NIGHT = 3;

/** In UTC: most users whom it could delay are asleep then. */
const times: Record<JobName, string> = {
  reconcile: '10 2 * * *',
  'purge-payloads': '10 3 * * *',
  'erase-due': '40 3 * * *',
  'audit-verify': '10 4 * * *',
};

const names = Object.keys(jobs) as JobName[];

/** A night that was missed because no process ran is run later. */
export const nightlySchedule = parseCronItems(
  names.map(
    (job): CronItem => ({
      task: job,
      identifier: job,
      match: times[job],
      options: { backfillPeriod: 20 * HOUR_MS, jobKey: job, maxAttempts: 25 },
    }),
  ),
);

type Payload = { run?: string; _cron?: { ts: string } };

export const nightlyTasks = (app: App): Record<string, Task> =>
  Object.fromEntries(
    names.map((job): [string, Task] => [
      job,
      async (payload, { abortSignal }) => {
        const { run, _cron: cron } = payload as Payload;
        await nightlyPage(app, job, run ?? nightOf(cron ? new Date(cron.ts) : app.clock.now()), abortSignal);
      },
    ]),
  );

/** Works on one page of the run and queues the next. */
export async function nightlyPage(app: App, job: JobName, name: string, signal?: AbortSignal): Promise<void> {
  const run = await beginRun(app, job, name);
  if (run.finished_at !== null) return;
  await processPage(app, run, signal, (tx, advanced) => queueNext(tx, advanced));
}

async function queueNext(tx: Db, { job, run, finished_at: finishedAt, counts }: Run): Promise<void> {
  if (finishedAt === null) return queue(tx, job, run, 0);
  const { night, number } = partsOf(run);
  const isWhole = !((counts[NOT_CHECKED] ?? 0) > 0);
  if (!isWhole && number < RUNS_A_NIGHT) await queue(tx, job, `${night}.${number + 1}`, HOUR_MS);
}

/** One key for all of a job's: a run that is still in progress when the next night begins gives way to that one. */
async function queue(tx: Db, job: string, run: string, delayMs: number): Promise<void> {
  await sql`select graphile_worker.add_job(
    ${job},
    payload := ${JSON.stringify({ run })}::json,
    run_at := now() + make_interval(secs => ${delayMs / 1_000}),
    job_key := ${job}
  )`.execute(tx);
}

const nightOf = (at: Date): string => at.toISOString().slice(0, 10);

function partsOf(run: string): { night: string; number: number } {
  const [night = run, number = '1'] = run.split('.');
  return { night, number: Number(number) };
}
