// A queue of items that wait for their turn. Compartments take turns, the users in one compartment take turns, and one user's items
// in one compartment are served in the order in which they were added. So a user with many items delays no other user.

/**
 * The place of an item in the queue. `user` is a user's id, or a fixed key for an item without a user. Items without a
 * `compartment` share one. `weight` is 1 if omitted; an item of weight 8 uses as many turns as eight items of weight 1.
 */
export type Turn = { compartment?: string; user: string; weight?: number };

export type FairQueue<Item> = {
  add: (item: Item) => void;
  remove: (item: Item) => void;
  /** Removes and returns the next item that may begin; null if none may. */
  next: (mayBegin: (item: Item) => boolean) => Item | null;
  clear: () => Item[];
  size: () => number;
  /** Returns all items, which stay in the queue. */
  items: () => Item[];
};

/** The items of one user in one compartment. The line with the lowest `turn` is served next. */
type Line<Item> = { items: Set<Item>; turn: number };
/** The users who wait in one compartment. `turn` is the latest turn that was taken. */
type Compartment<Item> = { users: Map<string, Line<Item>>; turn: number };

/** @param options `keepsOrder`: an item that may not begin blocks its user's later items in the same compartment. */
export function createFairQueue<Item>(
  turnOf: (item: Item) => Turn,
  { keepsOrder = false } = {},
): FairQueue<Item> {
  // Maps and sets iterate in the order of insertion, which is the order in which entries are served.
  const compartments = new Map<string, Compartment<Item>>();
  let size = 0;

  const remove = (item: Item): void => {
    const { compartment = '', user } = turnOf(item);
    const users = compartments.get(compartment)?.users;
    const items = users?.get(user)?.items;
    if (!items?.delete(item)) return;
    size -= 1;
    if (items.size === 0) users?.delete(user);
    if (users?.size === 0) compartments.delete(compartment);
  };

  const firstIn = (items: Set<Item>, mayBegin: (item: Item) => boolean): Item | null => {
    for (const item of items) {
      if (mayBegin(item)) return item;
      if (keepsOrder) return null;
    }
    return null;
  };

  const items = (): Item[] =>
    [...compartments.values()].flatMap(({ users }) => [...users.values()].flatMap((line) => [...line.items]));

  return {
    add: (item) => {
      const { compartment = '', user } = turnOf(item);
      const { users, turn } = getOrInsert(compartments, compartment, () => ({ users: new Map(), turn: 0 }));
      // A user who starts to wait comes after those who already wait.
      getOrInsert(users, user, () => ({ items: new Set<Item>(), turn: turn + 1 })).items.add(item);
      size += 1;
    },
    remove,
    next: (mayBegin) => {
      for (const [name, compartment] of compartments)
        for (const [user, line] of inTurn(compartment)) {
          const item = firstIn(line.items, mayBegin);
          if (item === null) continue;
          // A user whose items could not begin for a while does not get extra turns afterwards.
          compartment.turn = Math.max(compartment.turn, line.turn);
          line.turn = compartment.turn + (turnOf(item).weight ?? 1);
          moveToEnd(compartment.users, user, line);
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

/** Sorts the lines by turn. Lines with the same turn stay in the order of their last service, longest ago first. */
const inTurn = <Item>({ users }: Compartment<Item>): [string, Line<Item>][] =>
  [...users].toSorted(([, one], [, other]) => one.turn - other.turn);

function moveToEnd<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.delete(key);
  map.set(key, value);
}

function getOrInsert<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const value = map.get(key) ?? create();
  map.set(key, value);
  return value;
}
