// A list of the API as an array.

/** Every item, page after page. @throws what reading a page throws. */
export async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const read: Item[] = [];
  for await (const item of items) read.push(item);
  return read;
}
