// Collects a list of the API in an array.

/**
 * Returns every item, page after page.
 * @throws whatever reading a page throws.
 */
export async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const read: Item[] = [];
  for await (const item of items) read.push(item);
  return read;
}
