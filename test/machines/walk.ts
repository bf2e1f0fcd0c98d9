// Enumerates every sequence of events through a machine, up to a length. A step is pure, so sequences that lead to the same world
// are merged and counted. No sequence is skipped.

export type Walked<World> = { worlds: World[]; sequences: number };

/**
 * Enumerates all sequences of `length` events.
 * @param after returns the world after an event, or null if the event is refused and nothing changes.
 * @returns the worlds in which the sequences end, and the number of sequences.
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
