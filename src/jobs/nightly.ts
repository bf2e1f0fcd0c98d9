// What is done once a night, however many processes there are: the queue's clock is in the database, each page of a run is
// a job of its own, and the next one is queued in the commit that says the page is done.
import { type CronItem, parseCronItems, type Task } from 'graphile-worker';
import { sql } from 'kysely';
import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';
import { beginRun, type Run, takePage } from './run.ts';
import { NOT_LOOKED_AT } from './tally.ts';

const HOUR_MS = 60 * 60_000;
/** One night's runs at most: what could not be looked at in the first is tried again an hour later. */
const RUNS_A_NIGHT = 3;

const TASK = 'reconcile';

/** In UTC, when most people who could be kept waiting by it are asleep. A night that nobody was up in is made up for. */
const schedule: CronItem[] = [
  {
    task: TASK,
    identifier: TASK,
    match: '10 2 * * *',
    options: { backfillPeriod: 20 * HOUR_MS, jobKey: TASK, maxAttempts: 25 },
  },
];

export const nightlySchedule = parseCronItems(schedule);

type Payload = { run?: string; _cron?: { ts: string } };

export const nightlyTasks = (app: App): Record<string, Task> => ({
  [TASK]: async (payload, { abortSignal }) => {
    const { run, _cron: cron } = payload as Payload;
    await nightlyPage(app, run ?? nightOf(cron ? new Date(cron.ts) : app.clock.now()), abortSignal);
  },
});

/** Works on one page of the run and sees to it that somebody works on the next. */
export async function nightlyPage(app: App, name: string, signal?: AbortSignal): Promise<void> {
  const run = await beginRun(app, name);
  if (run.finished_at !== null) return;
  await takePage(app, run, signal, (tx, advanced) => queueNext(tx, advanced));
}

async function queueNext(tx: Db, { run, finished_at: finishedAt, counts }: Run): Promise<void> {
  if (finishedAt === null) return queue(tx, run, 0);
  const { night, number } = partsOf(run);
  const isWhole = !((counts[NOT_LOOKED_AT] ?? 0) > 0);
  if (!isWhole && number < RUNS_A_NIGHT) await queue(tx, `${night}.${number + 1}`, HOUR_MS);
}

/** One key for all of them: a run that is still under way when the next night comes gives way to that one. */
async function queue(tx: Db, run: string, delayMs: number): Promise<void> {
  await sql`select graphile_worker.add_job(
    ${TASK},
    payload := ${JSON.stringify({ run })}::json,
    run_at := now() + make_interval(secs => ${delayMs / 1_000}),
    job_key := ${TASK}
  )`.execute(tx);
}

const nightOf = (at: Date): string => at.toISOString().slice(0, 10);

function partsOf(run: string): { night: string; number: number } {
  const [night = run, number = '1'] = run.split('.');
  return { night, number: Number(number) };
}
