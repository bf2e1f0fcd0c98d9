// The blows: instances are killed, the database is stopped at once, the provider is killed too, each at a time of the
// seed's choosing.
import { setTimeout as pause } from 'node:timers/promises';
import { createRandom, type Random } from '../random.ts';
import type { Counts } from './counts.ts';
import type { Options } from './options.ts';
import type { Stack } from './stack.ts';

type Blow = { atMs: number; strike: () => Promise<void> | void };

const LONGEST_AWAY_MS = 1_500;

/**
 * The gaps of the calendar are kept, not its hours: on a machine that is busy with others a process takes long to come
 * back, and blows that are late must not fall all at once.
 * @returns when the last blow has fallen.
 */
export async function rage(stack: Stack, counts: Counts, options: Options): Promise<void> {
  let lastAtMs = 0;
  for (const { atMs, strike } of calendar(stack, counts, options)) {
    await pause(atMs - lastAtMs);
    await strike();
    lastAtMs = atMs;
  }
}

function calendar(stack: Stack, counts: Counts, { seed, kills, restarts, stormMs }: Options): Blow[] {
  const random = createRandom(seed, 'storm');
  const away = (): number => random.between(100, LONGEST_AWAY_MS);
  const at = spread(random, stormMs);
  return [
    // The first blow comes early: with it the second instance learns the flow of two conversions.
    ...times(kills, (index) => ({
      atMs: index === 0 ? stormMs * 0.03 : at(index, kills),
      strike: blow(stack, counts, index === 0 ? 1 : random.between(0, 1), away()),
    })),
    ...times(restarts, (index) => ({
      atMs: at(index + 0.5, restarts),
      strike: () => {
        counts.restarts += 1;
        return stack.database.crash(away());
      },
    })),
    ...times(Math.ceil(kills / 10), (index) => ({
      atMs: at(index + 0.3, Math.ceil(kills / 10)),
      strike: () => {
        counts.sandboxKills += 1;
        stack.sandbox.kill(away());
      },
    })),
  ].toSorted((one, other) => one.atMs - other.atMs);
}

const times = (count: number, blow: (index: number) => Blow): Blow[] =>
  Array.from({ length: count }, (_, index) => blow(index));

/** Somewhere about the index-th part of the storm, and not so late that nothing would be hit. */
const spread =
  (random: Random, stormMs: number) =>
  (index: number, of: number): number =>
    Math.min(0.97, (index + random.next()) / of) * stormMs;

const blow = (stack: Stack, counts: Counts, index: number, awayMs: number) => async (): Promise<void> => {
  const instance = stack.instances[index] ?? stack.instances[0];
  // Killing what is not there would be no kill: wait until there is something to hit.
  await instance.ready();
  if (index === 1) stack.turnTwoHopOn();
  counts.kills += 1;
  instance.kill(awayMs);
};
