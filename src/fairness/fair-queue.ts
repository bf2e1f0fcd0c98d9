// What waits for its turn: compartments take turns, the people in one compartment take turns, and one person's items in one
// compartment come in the order in which they were added. So a person with many items delays no other.

/**
 * `person`: who waits, or a name for what is no person's. Without a `compartment` all items are in the same one.
 * `weight`: 1 if left out. An item of weight 8 uses up as many turns as eight items of weight 1.
 */
export type Turn = { compartment?: string; person: string; weight?: number };

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

/** The items of one person in one compartment. The line with the lowest `turn` is next. */
type Line<Item> = { items: Set<Item>; turn: number };
/** `turn`: the latest turn that was taken. */
type Compartment<Item> = { people: Map<string, Line<Item>>; turn: number };

export type FairQueueOptions = {
  /** Whether an item that may not begin keeps back its person's later items in the same compartment. */
  keepsOrder?: boolean;
};

export function createFairQueue<Item>(
  turnOf: (item: Item) => Turn,
  { keepsOrder = false }: FairQueueOptions = {},
): FairQueue<Item> {
  // Maps and sets are iterated in the order of insertion: the order in which their parts come next.
  const compartments = new Map<string, Compartment<Item>>();
  let size = 0;

  const remove = (item: Item): void => {
    const { compartment = '', person } = turnOf(item);
    const people = compartments.get(compartment)?.people;
    const items = people?.get(person)?.items;
    if (!items?.delete(item)) return;
    size -= 1;
    if (items.size === 0) people?.delete(person);
    if (people?.size === 0) compartments.delete(compartment);
  };

  const firstIn = (items: Set<Item>, mayBegin: (item: Item) => boolean): Item | null => {
    for (const item of items) {
      if (mayBegin(item)) return item;
      if (keepsOrder) return null;
    }
    return null;
  };

  const items = (): Item[] =>
    [...compartments.values()].flatMap(({ people }) =>
      [...people.values()].flatMap((line) => [...line.items]),
    );

  return {
    add: (item) => {
      const { compartment = '', person } = turnOf(item);
      const { people, turn } = getOrInsert(compartments, compartment, () => ({ people: new Map(), turn: 0 }));
      // Who comes now follows those whose turn it is.
      getOrInsert(people, person, () => ({ items: new Set<Item>(), turn: turn + 1 })).items.add(item);
      size += 1;
    },
    remove,
    next: (mayBegin) => {
      for (const [name, compartment] of compartments)
        for (const [person, line] of inTurn(compartment)) {
          const item = firstIn(line.items, mayBegin);
          if (item === null) continue;
          // Who could not begin for a while does not catch up.
          compartment.turn = Math.max(compartment.turn, line.turn);
          line.turn = compartment.turn + (turnOf(item).weight ?? 1);
          moveToEnd(compartment.people, person, line);
          moveToEnd(compartments, name, compartment);
          remove(item);
          return item;
        }
      return null;
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

/** Of those with the same turn the one that was served longest ago is first. */
const inTurn = <Item>({ people }: Compartment<Item>): [string, Line<Item>][] =>
  [...people].toSorted(([, one], [, other]) => one.turn - other.turn);

function moveToEnd<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.delete(key);
  map.set(key, value);
}

function getOrInsert<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const value = map.get(key) ?? create();
  map.set(key, value);
  return value;
}
