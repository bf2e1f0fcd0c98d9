// Reads a list of the client, a screenful at a time. It reads the API's next page when it is needed.

export type Taken<Item> = { items: Item[]; hasMore: boolean };

/** @returns the next `count` items. `hasMore` is false once the list has ended. */
export async function take<Item>(items: AsyncIterator<Item>, count: number): Promise<Taken<Item>> {
  const taken: Item[] = [];
  while (taken.length < count) {
    const { value, done } = await items.next();
    if (done === true) return { items: taken, hasMore: false };
    taken.push(value);
  }
  return { items: taken, hasMore: true };
}
