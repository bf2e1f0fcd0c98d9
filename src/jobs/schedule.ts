// When the nightly jobs run. The run of each night is planned as a row, once for all processes. Its pages are work of the outbox (see
// run-page.ts), so a night that was missed because no process ran is run later.
import { Cron } from 'croner';
import type { DatabaseTime } from '../platform/database/database-time.ts';
import type { Db } from '../tables/orm.ts';
import { NOT_CHECKED } from './counters.ts';
import { isNightly, type JobName, jobs, type NightlyJob } from './jobs.ts';
import { insertRun, type Run } from './run.ts';

const HOUR_MS = 60 * 60_000;
/** The maximum number of runs of one night. If a run could not check everything, the next one starts an hour later. */
const RUNS_A_NIGHT = 3;

/** In UTC. Most users are asleep at these times. */
const times: Record<NightlyJob, string> = {
  reconcile: '10 2 * * *',
  'purge-payloads': '10 3 * * *',
  'erase-due': '40 3 * * *',
  'audit-verify': '10 4 * * *',
};

export const jobNames = (Object.keys(jobs) as JobName[]).filter(isNightly);

/** Returns the time after `now` at which the job's next night begins. */
export function nextNight(job: NightlyJob, now: Date): Date {
  const next = new Cron(times[job], { timezone: 'UTC', paused: true }).nextRun(now);
  if (next === null) throw new Error(`${job} has no next time`);
  return next;
}

/** Plans the next night of each job, unless it is planned already. */
export async function planNextNights(db: Db, now: DatabaseTime): Promise<void> {
  for (const job of jobNames) await planNextNight(db, job, now);
}

export async function planNextNight(db: Db, job: NightlyJob, now: DatabaseTime): Promise<void> {
  const next = nextNight(job, now.toDate());
  await insertRun(db, job, nightOf(next), now.msUntil(next));
}

/** Plans the same night again if the run could not check everything. Part of the commit that ends the run. */
export async function planRepetition(tx: Db, { job, run, counts }: Run): Promise<void> {
  const [night, number = '1'] = run.split('.');
  const isWhole = !((counts[NOT_CHECKED] ?? 0) > 0);
  const next = Number(number) + 1;
  if (!isWhole && next <= RUNS_A_NIGHT) await insertRun(tx, job, `${night}.${next}`, HOUR_MS);
}

const nightOf = (at: Date): string => at.toISOString().slice(0, 10);
