// What waits for a slot: compartments take turns, the people in one compartment take turns, and one person's items in one
// compartment come in the order in which they were added. So a person with many items delays no other.

/** `person`: who waits, or a name for what is no person's. Where nothing is told apart, all is one compartment. */
export type Turn = { compartment?: string; person: string };

export type FairQueue<Item> = {
  add: (item: Item) => void;
  remove: (item: Item) => void;
  /** @returns the next item that may begin, which is then no longer in the queue; null when none may. */
  next: (mayBegin: (item: Item) => boolean) => Item | null;
  /** @returns all that waited. */
  clear: () => Item[];
  size: () => number;
  /** All that waits. */
  items: () => Item[];
};

export function createFairQueue<Item>(turnOf: (item: Item) => Turn): FairQueue<Item> {
  // Maps and sets are iterated in the order of insertion: the order in which their parts come next.
  const compartments = new Map<string, Map<string, Set<Item>>>();
  let size = 0;

  const placeOf = (item: Item) => {
    const { compartment = '', person } = turnOf(item);
    return { compartment, person };
  };

  const remove = (item: Item): void => {
    const { compartment, person } = placeOf(item);
    const people = compartments.get(compartment);
    const items = people?.get(person);
    if (!items?.delete(item)) return;
    size -= 1;
    if (items.size === 0) people?.delete(person);
    if (people?.size === 0) compartments.delete(compartment);
  };

  const find = (mayBegin: (item: Item) => boolean): Item | null => {
    for (const people of compartments.values())
      for (const items of people.values()) for (const item of items) if (mayBegin(item)) return item;
    return null;
  };

  const items = (): Item[] =>
    [...compartments.values()].flatMap((people) => [...people.values()].flatMap((those) => [...those]));

  return {
    add: (item) => {
      const { compartment, person } = placeOf(item);
      const people = getOrInsert(compartments, compartment, () => new Map<string, Set<Item>>());
      getOrInsert(people, person, () => new Set<Item>()).add(item);
      size += 1;
    },
    remove,
    next: (mayBegin) => {
      const item = find(mayBegin);
      if (item === null) return null;
      const { compartment, person } = placeOf(item);
      const people = moveToEnd(compartments, compartment);
      moveToEnd(people, person);
      remove(item);
      return item;
    },
    clear: () => {
      const all = items();
      compartments.clear();
      size = 0;
      return all;
    },
    size: () => size,
    items,
  };
}

function moveToEnd<Key, Value>(map: Map<Key, Value>, key: Key): Value {
  const value = map.get(key) as Value;
  map.delete(key);
  map.set(key, value);
  return value;
}

function getOrInsert<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const value = map.get(key) ?? create();
  map.set(key, value);
  return value;
}
