// Enumerates every sequence of events through a machine, up to a length. Stepping is pure, so sequences that lead to the
// same world continue as one, and their number is counted: nothing is skipped.

export type Walked<World> = { worlds: World[]; sequences: number };

/**
 * @param after the world that an event makes of a world, or null where it is refused and nothing changes.
 * @returns the worlds that sequences of exactly `length` events end in, and how many sequences that were.
 */
export function walk<World, Event>(
  first: World,
  events: readonly Event[],
  after: (world: World, event: Event) => World | null,
  length: number,
): Walked<World> {
  let here = new Map([[JSON.stringify(first), { world: first, sequences: 1 }]]);
  for (let taken = 0; taken < length; taken += 1) {
    const next: typeof here = new Map();
    for (const { world, sequences } of here.values())
      for (const event of events) {
        const made = after(world, event) ?? world;
        const key = JSON.stringify(made);
        next.set(key, { world: made, sequences: sequences + (next.get(key)?.sequences ?? 0) });
      }
    here = next;
  }
  const ends = [...here.values()];
  return {
    worlds: ends.map(({ world }) => world),
    sequences: ends.reduce((sum, { sequences }) => sum + sequences, 0),
  };
}
