// The nemesis: kills instances and the provider, stops the database immediately, and injects faults that do not end a process. The
// seed determines the time of each.
import { setTimeout as pause } from 'node:timers/promises';
import { createRandom, type Random } from '../random.ts';
import type { Counts } from '../stack/counts.ts';
import type { Person } from '../stack/people.ts';
import type { Stack } from '../stack/stack.ts';
import { backlog, engineFaults, injectEngineFault } from './engine-faults.ts';
import type { Options } from './options.ts';
import type { Burst } from './workload.ts';

/** `lasts` marks a fault whose end the next faults do not wait for. */
type Fault = { atMs: number; inject: () => Promise<void> | void; lasts?: true };

export type Targets = { stack: Stack; people: [Person, ...Person[]]; burst: Burst };

const LONGEST_AWAY_MS = 1_500;
/** The share of the run after which no lasting fault begins, so that each is over before the run ends. */
const LAST_BEGINS = 0.8;

/**
 * Injects the faults, keeping the schedule's gaps instead of its times: on a busy machine a process takes long to restart, and
 * delayed faults must not all come together.
 * @returns when the last fault is over.
 */
export async function runNemesis(targets: Targets, counts: Counts, options: Options): Promise<void> {
  let lastAtMs = 0;
  const lasting: Promise<void>[] = [];
  for (const { atMs, inject, lasts } of schedule(targets, counts, options)) {
    await pause(atMs - lastAtMs);
    const injected = inject();
    if (lasts) lasting.push(Promise.resolve(injected));
    else await injected;
    lastAtMs = atMs;
  }
  await Promise.all(lasting);
}

function schedule(targets: Targets, counts: Counts, options: Options): Fault[] {
  const { stack } = targets;
  const { seed, kills, restarts, durationMs } = options;
  const random = createRandom(seed, 'storm');
  const away = (): number => random.between(100, LONGEST_AWAY_MS);
  const at = spread(random, durationMs);
  return [
    // The first fault comes early: with it the second instance begins to offer the flow of two conversions.
    ...times(kills, (index) => ({
      atMs: index === 0 ? durationMs * 0.03 : at(index, kills),
      inject: fault(stack, counts, index === 0 ? 1 : random.between(0, stack.instances.length - 1), away()),
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
    ...thatLast(targets, counts, options),
  ].toSorted((one, other) => one.atMs - other.atMs);
}

/**
 * The faults that last: each of them once for every ten kills, spread evenly, because two concurrent faults would hide each other.
 */
function thatLast({ stack, people, burst }: Targets, counts: Counts, options: Options): Fault[] {
  const random = createRandom(options.seed, 'engine faults');
  const rounds = Math.ceil(options.kills / 10);
  const round = () => engineFaults(stack, random, { people, burst }, counts, options);
  const faults = Array.from({ length: rounds }, round).flat();
  if (options.backlog) faults.push(backlog(stack, counts));
  return faults.map((one, index) => ({
    atMs: ((index + 0.5) / faults.length) * LAST_BEGINS * options.durationMs,
    inject: () => injectEngineFault(one, counts),
    lasts: true,
  }));
}

const times = (count: number, fault: (index: number) => Fault): Fault[] =>
  Array.from({ length: count }, (_, index) => fault(index));

/** A time within about the index-th part of the run, and not so late that no work would be left to disturb. */
const spread =
  (random: Random, durationMs: number) =>
  (index: number, of: number): number =>
    Math.min(0.97, (index + random.next()) / of) * durationMs;

const fault = (stack: Stack, counts: Counts, index: number, awayMs: number) => async (): Promise<void> => {
  const instance = stack.instances[index];
  // Killing a process that is down would test nothing, so wait until it is up.
  await instance?.ready();
  if (index === 1) stack.turnTwoHopOn();
  counts.kills += 1;
  instance?.kill(awayMs);
};
