// Calls that wait for a slot of the bulkhead: compartments take turns, the people in one compartment take turns, and one
// person's calls in one compartment are granted in the order in which they came.

export type Queued = { compartment: string; userId: string | null };
/** No call of these is granted now: they hold their whole share. */
export type Full = { compartments: ReadonlySet<string>; people: ReadonlySet<string | null> };

export type FairQueue<Call extends Queued> = {
  add: (call: Call) => void;
  remove: (call: Call) => void;
  /** Removes the next call. @returns null when none may be granted. */
  take: (full: Full) => Call | null;
  size: () => number;
  sizeOf: (userId: string | null) => number;
};

export function createFairQueue<Call extends Queued>(): FairQueue<Call> {
  const compartments = new Map<string, Map<string | null, Set<Call>>>();

  const remove = (call: Call): void => {
    const people = compartments.get(call.compartment);
    const calls = people?.get(call.userId);
    calls?.delete(call);
    if (calls?.size === 0) people?.delete(call.userId);
    if (people?.size === 0) compartments.delete(call.compartment);
  };

  const next = (full: Full): Call | undefined => {
    for (const [compartment, people] of compartments) {
      if (full.compartments.has(compartment)) continue;
      for (const [userId, calls] of people) {
        if (full.people.has(userId)) continue;
        moveToEnd(compartments, compartment);
        moveToEnd(people, userId);
        return calls.values().next().value;
      }
    }
    return undefined;
  };

  return {
    add: (call) => {
      const people = getOrInsert(compartments, call.compartment, () => new Map<string | null, Set<Call>>());
      getOrInsert(people, call.userId, () => new Set<Call>()).add(call);
    },
    remove,
    take: (full) => {
      const call = next(full);
      if (call === undefined) return null;
      remove(call);
      return call;
    },
    size: () =>
      sum([...compartments.values()].flatMap((people) => [...people.values()].map(({ size }) => size))),
    sizeOf: (userId) => sum([...compartments.values()].map((people) => people.get(userId)?.size ?? 0)),
  };
}

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);

/** A map is iterated in the order of insertion. */
function moveToEnd<Key, Value>(map: Map<Key, Value>, key: Key): void {
  const value = map.get(key) as Value;
  map.delete(key);
  map.set(key, value);
}

function getOrInsert<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const value = map.get(key) ?? create();
  map.set(key, value);
  return value;
}
