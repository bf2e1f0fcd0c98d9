// One flow, told once: undisturbed, to learn its points and how it ends, or with the end of the process at one of them.
import { setTimeout as pause } from 'node:timers/promises';
import { balancesOf, type Fingerprint, faultsOf, fingerprintOf, since, underWay } from './fingerprint.ts';
import type { Flow } from './flows.ts';
import type { CrashWorld } from './world.ts';

const QUIET_WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 100;
/** How long a process may take from its last write to its end. */
const LAST_POINT_MS = 3_000;

/** What a process does once, when it starts: a fresh one may still be at it when it says that it is ready. */
const atStart = /\(start\)/;
const byTheClock = /\((timer|checkResource)\)|job checkResource/;

export type Told = { points: string[]; ending: Fingerprint; faults: string[] };

/** @returns every point in the order of its first coming, and how it ended. */
export async function tellUndisturbed(world: CrashWorld, flow: Flow): Promise<Told> {
  return tell(world, flow, async (story) => {
    await world.service.watch('all');
    await story();
    await quiet(world);
    await pause(LOOK_EVERY_MS);
    const points = await world.service.watch('nothing');
    return points.filter((point) => !atStart.test(point) && (flow.isByTheClock || !byTheClock.test(point)));
  });
}

/** @returns whether the point was reached, and how it ended all the same. */
export async function tellWithEndAt(
  world: CrashWorld,
  flow: Flow,
  point: string,
): Promise<Told & { isReached: boolean }> {
  const { service } = world;
  const before = service.deaths();
  const told = await tell(world, flow, async (story) => {
    await service.watch({ killAt: point });
    await story();
    await quiet(world);
    for (const begun = Date.now(); service.deaths() === before && Date.now() - begun < LAST_POINT_MS; )
      await pause(LOOK_EVERY_MS);
    await service.ready();
    await service.watch('nothing');
    await quiet(world);
    return [];
  });
  return { ...told, isReached: service.deaths() === before + 1 };
}

async function tell(
  world: CrashWorld,
  flow: Flow,
  during: (story: () => Promise<void>) => Promise<string[]>,
): Promise<Told> {
  await world.service.ready();
  const { person, story } = await flow.prepare(world);
  await quiet(world);
  if (flow.isForFreshProcess) await world.service.renew();
  const [before, balances] = [await fingerprintOf(world, person.subject), balancesOf(world)];
  const points = await during(story);
  const ending = since(before, await fingerprintOf(world, person.subject));
  return {
    points,
    ending: { ...ending, balances: growth(balances, balancesOf(world)) },
    faults: await faultsOf(world),
  };
}

/** @throws with what is still under way after two minutes. */
async function quiet(world: CrashWorld): Promise<void> {
  for (const begun = Date.now(); ; await pause(LOOK_EVERY_MS)) {
    const left = await underWay(world);
    if (Object.keys(left).length === 0) return;
    if (Date.now() - begun > QUIET_WITHIN_MS) throw new Error(`never quiet: ${JSON.stringify(left)}`);
  }
}

/** How much each account holds more, or less, than before. */
const growth = (before: Record<string, number>, after: Record<string, number>): string[] =>
  Object.entries(after)
    .map(([name, balance]) => ({ name, grown: balance - (before[name] ?? 0) }))
    .filter(({ grown }) => grown !== 0)
    .map(({ name, grown }) => `${name} ${grown}`)
    .toSorted();
