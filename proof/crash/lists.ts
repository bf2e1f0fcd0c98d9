// Reads and writes the committed list of every point of every flow, and compares it with the points reached.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createRandom } from '../random.ts';

export type PointLists = Record<string, string[]>;

const FILE = fileURLToPath(new URL('points.json', import.meta.url));

export const readLists = (): PointLists => JSON.parse(readFileSync(FILE, 'utf8')) as PointLists;

export const writeLists = (lists: PointLists): void =>
  writeFileSync(FILE, `${JSON.stringify(lists, null, 2)}\n`);

/** @returns a sentence for each point that is listed and was not reached, and for each that was reached and is not listed. */
export function differences(listed: string[], met: string[]): string[] {
  return [
    ...listed.filter((point) => !met.includes(point)).map((point) => `listed, and not met: ${point}`),
    ...met.filter((point) => !listed.includes(point)).map((point) => `met, and not listed: ${point}`),
  ];
}

/**
 * Returns a sample of the list. It is the same for the same seed, and has a second point of a flow only if it has one of every flow.
 * @param count the number of points in all.
 */
export function sampleOf(lists: PointLists, count: number, seed: number): PointLists {
  const random = createRandom(seed, 'crash points');
  const flows = Object.entries(lists);
  const shuffled = random.sample(flows, flows.length).map(([flow, points]) => ({
    flow,
    points: random.sample(points, points.length),
  }));
  const sample: PointLists = Object.fromEntries(shuffled.map(({ flow }) => [flow, []]));
  for (let round = 0, left = count; left > 0; round += 1) {
    const drawn = shuffled.filter(({ points }) => points[round] !== undefined).slice(0, left);
    if (drawn.length === 0) break;
    for (const { flow, points } of drawn) sample[flow]?.push(points[round] ?? '');
    left -= drawn.length;
  }
  return sample;
}
