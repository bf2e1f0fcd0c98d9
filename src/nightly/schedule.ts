// When the nightly jobs run: each night's run is planned as a row, once for any number of processes, and carried out by the
// process that claims it (see runner.ts). A night that was missed because no process ran is run later.
import { Cron } from 'croner';
import { NOT_CHECKED } from '../batch/counters.ts';
import type { Db } from '../database/orm.ts';
import { type JobName, jobs } from './jobs.ts';
import { insertRun, type Run } from './run.ts';

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

export const jobNames = Object.keys(jobs) as JobName[];

/** @returns when the job's next night begins, later than `now`. */
export function nextNight(job: JobName, now: Date): Date {
  const next = new Cron(times[job], { timezone: 'UTC', paused: true }).nextRun(now);
  if (next === null) throw new Error(`${job} has no next time`);
  return next;
}

/** Plans the job's next night, where that has not been done. */
export async function planNextNight(db: Db, job: JobName, now: Date): Promise<void> {
  const next = nextNight(job, now);
  await insertRun(db, job, nightOf(next), now, next.getTime() - now.getTime());
}

/** Written in the commit that ends a run: the same night once more, where something could not be checked. */
export async function planRepetition(tx: Db, { job, run, counts }: Run, now: Date): Promise<void> {
  const { night, number } = partsOf(run);
  const isWhole = !((counts[NOT_CHECKED] ?? 0) > 0);
  if (!isWhole && number < RUNS_A_NIGHT) await insertRun(tx, job, `${night}.${number + 1}`, now, HOUR_MS);
}

const nightOf = (at: Date): string => at.toISOString().slice(0, 10);

function partsOf(run: string): { night: string; number: number } {
  const [night = run, number = '1'] = run.split('.');
  return { night, number: Number(number) };
}
