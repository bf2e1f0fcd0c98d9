// The nemesis: kills instances and the provider and stops the database immediately, each at a time given by the seed.
import { setTimeout as pause } from 'node:timers/promises';
import { createRandom, type Random } from '../random.ts';
import type { Counts } from './counts.ts';
import type { Options } from './options.ts';
import type { Stack } from './stack.ts';

type Fault = { atMs: number; inject: () => Promise<void> | void };

const LONGEST_AWAY_MS = 1_500;

/**
 * Keeps the gaps of the schedule, not its times: on a busy machine a process takes long to restart, and late faults must
 * not come all together.
 * @returns when the last fault was injected.
 */
export async function runNemesis(stack: Stack, counts: Counts, options: Options): Promise<void> {
  let lastAtMs = 0;
  for (const { atMs, inject } of schedule(stack, counts, options)) {
    await pause(atMs - lastAtMs);
    await inject();
    lastAtMs = atMs;
  }
}

function schedule(stack: Stack, counts: Counts, { seed, kills, restarts, durationMs }: Options): Fault[] {
  const random = createRandom(seed, 'storm');
  const away = (): number => random.between(100, LONGEST_AWAY_MS);
  const at = spread(random, durationMs);
  return [
    // The first fault comes early: with it the second instance begins to offer the flow of two conversions.
    ...times(kills, (index) => ({
      atMs: index === 0 ? durationMs * 0.03 : at(index, kills),
      inject: fault(stack, counts, index === 0 ? 1 : random.between(0, 1), away()),
    })),
    ...times(restarts, (index) => ({
      atMs: at(index + 0.5, restarts),
      inject: () => {
        counts.restarts += 1;
        return stack.database.crash(away());
      },
    })),
    ...times(Math.ceil(kills / 10), (index) => ({
      atMs: at(index + 0.3, Math.ceil(kills / 10)),
      inject: () => {
        counts.sandboxKills += 1;
        stack.sandbox.kill(away());
      },
    })),
  ].toSorted((one, other) => one.atMs - other.atMs);
}

const times = (count: number, fault: (index: number) => Fault): Fault[] =>
  Array.from({ length: count }, (_, index) => fault(index));

/** Within about the index-th part of the run, and not so late that there would be nothing to hit. */
const spread =
  (random: Random, durationMs: number) =>
  (index: number, of: number): number =>
    Math.min(0.97, (index + random.next()) / of) * durationMs;

const fault = (stack: Stack, counts: Counts, index: number, awayMs: number) => async (): Promise<void> => {
  const instance = stack.instances[index] ?? stack.instances[0];
  // Killing a process that is down is no kill: wait until it is up.
  await instance.ready();
  if (index === 1) stack.turnTwoHopOn();
  counts.kills += 1;
  instance.kill(awayMs);
};
