// Kills processes that have leases, again and again, while two others are never touched. It measures how long it takes until
// another process resumes each piece of work, and until the replacement process is ready.
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { KeptProcess } from '../../harness/processes/kept-process.ts';
import { readProcess } from '../../harness/processes/linux-processes.ts';
import { quantile, seconds } from '../../harness/report.ts';
import { catchWorking } from './catch-working.ts';
import { takenUp } from './held-work.ts';
import { type Result, type Surroundings, TAKEN_UP_WITHIN_MS } from './scenario.ts';

/** The first processes live as long as the run. */
const ALWAYS_ALIVE = 2;
const READY_GOAL_MS = 1_500;
const READY_WITHIN_MS = 60_000;

/** All times are in milliseconds. `startCpuMs` is processor time, which a busy machine does not change much. */
type Figures = { takeovers: number[]; readies: number[]; startCpuMs: number[]; missing: string[] };

export async function killAgainAndAgain({
  stack,
  pool,
  metricsUrls,
  options,
}: Surroundings): Promise<Result> {
  const figures: Figures = { takeovers: [], readies: [], startCpuMs: [], missing: [] };
  let kills = 0;
  const killOne = async (child: KeptProcess, metricsUrl: string): Promise<void> => {
    while (kills < options.kills) {
      kills += 1;
      await killOnce(pool, child, metricsUrl, figures);
      console.log(
        `kill ${kills} of ${options.kills}: the slowest takeover so far ${seconds(slowest(figures.takeovers))}`,
      );
    }
  };
  const victims = stack.instances.slice(ALWAYS_ALIVE);
  await Promise.all(victims.map((child, index) => killOne(child, metricsUrls[ALWAYS_ALIVE + index] ?? '')));
  const { takeovers, readies, startCpuMs, missing } = figures;
  return {
    rows: [
      ['kills of processes that held work', String(kills)],
      ['pieces of work they held', String(takeovers.length + missing.length)],
      ['from the kill until a takeover, median', seconds(quantile(takeovers, 0.5))],
      ['99 %', seconds(quantile(takeovers, 0.99))],
      ['the slowest', seconds(slowest(takeovers))],
      ['from a start until GET /ready answers 200, median', seconds(quantile(readies, 0.5))],
      ['99 %', seconds(quantile(readies, 0.99))],
      ['processor time of a start until then, median', seconds(quantile(startCpuMs, 0.5))],
      [
        `within ${seconds(READY_GOAL_MS)}, the goal`,
        `${readies.filter((ms) => ms <= READY_GOAL_MS).length} of ${readies.length}`,
      ],
    ],
    violations: [
      ...missing.map((what) => `${what} was not taken over`),
      ...takeovers
        .filter((ms) => ms > TAKEN_UP_WITHIN_MS)
        .map((ms) => `a piece of work was taken over only after ${seconds(ms)}`),
    ],
  };
}

async function killOnce(pool: Pool, child: KeptProcess, metricsUrl: string, figures: Figures): Promise<void> {
  const { leases, stoppedAt } = await catchWorking(pool, child);
  const killedAt = performance.now();
  child.kill();
  const readied = async (): Promise<void> => {
    figures.readies.push(await msUntilReady(child, killedAt, metricsUrl));
    figures.startCpuMs.push(readProcess(child.current()?.pid ?? 0)?.ownMs ?? Number.NaN);
  };
  const [at] = await Promise.all([takenUp(pool, leases, 4 * TAKEN_UP_WITHIN_MS), readied()]);
  for (const { kind, id } of leases) {
    const takenAt = at.get(id);
    if (takenAt === undefined) figures.missing.push(`${kind} ${id}`);
    else figures.takeovers.push(takenAt - stoppedAt);
  }
}

/**
 * The time from the start of the next process until it is ready.
 * @throws if it is not ready within a minute.
 */
async function msUntilReady(child: KeptProcess, killedAt: number, metricsUrl: string): Promise<number> {
  for (const begun = performance.now(); performance.now() - begun < READY_WITHIN_MS; await pause(10)) {
    const startedAt = child.current()?.startedAt ?? 0;
    if (startedAt < killedAt) continue;
    const answer = await fetch(`${metricsUrl}/ready`).catch(() => null);
    await answer?.arrayBuffer();
    if (answer?.ok) return performance.now() - startedAt;
  }
  throw new Error('a process that was started again is not ready');
}

const slowest = (values: number[]): number | null => (values.length === 0 ? null : Math.max(...values));
