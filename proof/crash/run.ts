// One run of a flow: undisturbed, to record its points and how it ends, or with a crash at one of the points.
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { LONGEST_UNANSWERED_MS } from '../../src/effects/in-flight.ts';
import { jobNames } from '../../src/jobs/schedule.ts';
import type { CrashEnvironment } from './environment.ts';
import { balancesOf, type Fingerprint, faultsOf, fingerprintOf, since, underWay } from './fingerprint.ts';
import type { Flow } from './flows.ts';

/** A refusal is pending until an earlier request can no longer be in flight. */
const QUIET_WITHIN_MS = LONGEST_UNANSWERED_MS + 180_000;
const POLL_EVERY_MS = 100;
/** The longest time between a process's last write and its exit. */
const LAST_POINT_MS = 3_000;

/** Start-up work, which a fresh process may still be doing after it reports that it is ready, and searches that find nothing. */
const neverListed = /\((start|orphans)\)/;
const byTheClock = /\((timer|poll|take-over)\)/;

export type FlowRun = { points: string[]; ending: Fingerprint; faults: string[] };

/** @returns every point in the order of its first occurrence, and the fingerprint of how the run ended. */
export async function runUndisturbed(environment: CrashEnvironment, flow: Flow): Promise<FlowRun> {
  return runFlow(environment, flow, async (scenario) => {
    await environment.service.watch('all');
    await scenario();
    await quiet(environment);
    await pause(POLL_EVERY_MS);
    const points = await environment.service.watch('nothing');
    return points.filter(
      (point) => !neverListed.test(point) && (flow.isByTheClock || !byTheClock.test(point)),
    );
  });
}

/** @returns whether the point was reached, and the fingerprint of how the run ended. */
export async function runWithCrashAt(
  environment: CrashEnvironment,
  flow: Flow,
  point: string,
): Promise<FlowRun & { isReached: boolean }> {
  const { service } = environment;
  const before = service.deaths();
  const run = await runFlow(environment, flow, async (scenario) => {
    await service.watch({ killAt: point });
    await scenario();
    await quiet(environment);
    for (const begun = Date.now(); service.deaths() === before && Date.now() - begun < LAST_POINT_MS; )
      await pause(POLL_EVERY_MS);
    await service.ready();
    await service.watch('nothing');
    await quiet(environment);
    return [];
  });
  return { ...run, isReached: service.deaths() === before + 1 };
}

async function runFlow(
  environment: CrashEnvironment,
  flow: Flow,
  during: (scenario: () => Promise<void>) => Promise<string[]>,
): Promise<FlowRun> {
  await environment.service.ready();
  const { person, scenario } = await flow.prepare(environment);
  await putOffNights(environment);
  await quiet(environment);
  if (flow.isForFreshProcess) await environment.service.renew();
  const [before, balances] = [await fingerprintOf(environment, person.subject), balancesOf(environment)];
  const points = await during(scenario);
  const ending = since(before, await fingerprintOf(environment, person.subject));
  return {
    points,
    ending: { ...ending, balances: growth(balances, balancesOf(environment)) },
    faults: await faultsOf(environment),
  };
}

/** Plans the next nights for a week later. One that began during a flow would add its points, at some hours of the day. */
const putOffNights = ({ database }: CrashEnvironment): Promise<unknown> =>
  database.query(
    `insert into job_runs (job, run, position, counts, updated_at, due_at)
     select job, (now() at time zone 'UTC')::date + day, '{"stage": 0, "page": {"after": null}}', '{}', now(), now() + interval '7 days'
     from unnest($1::text[]) job, generate_series(0, 1) day
     on conflict (job, run) do update set due_at = excluded.due_at
     where job_runs.finished_at is null and job_runs.leased_by is null`,
    [jobNames],
  );

/**
 * Waits until no work is in progress.
 * @throws an error that names the unfinished work, after QUIET_WITHIN_MS.
 */
async function quiet(environment: CrashEnvironment): Promise<void> {
  for (const begun = Date.now(); ; await pause(POLL_EVERY_MS)) {
    const left = await underWay(environment);
    if (Object.keys(left).length === 0) return;
    if (Date.now() - begun > QUIET_WITHIN_MS) throw new Error(`never quiet: ${JSON.stringify(left)}`);
  }
}

/** @returns a sentence for each part of the fingerprint that differs from the expected one. */
export const differencesOf = (ending: Fingerprint, expected: Fingerprint): string[] =>
  Object.keys(expected)
    .filter((key) => !isDeepStrictEqual(ending[key], expected[key]))
    .map((key) => `${key}: ${JSON.stringify(ending[key])} instead of ${JSON.stringify(expected[key])}`);

const growth = (before: Record<string, number>, after: Record<string, number>): string[] =>
  Object.entries(after)
    .map(([name, balance]) => ({ name, grown: balance - (before[name] ?? 0) }))
    .filter(({ grown }) => grown !== 0)
    .map(({ name, grown }) => `${name} ${grown}`)
    .toSorted();
