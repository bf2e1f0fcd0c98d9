// Iterates over a list without its pages, and requests the next page when it is needed.

type Page<Item> = { items: Item[]; link: string | null };

/**
 * A page can be short or empty before the list ends, so only a missing cursor ends it.
 * @param read reads one page. The first page is read without a cursor.
 */
export async function* itemsOf<Item>(
  read: (cursor: string | undefined) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, void> {
  let cursor: string | undefined;
  do {
    const { items, link } = await read(cursor);
    yield* items;
    cursor = nextCursor(link);
  } while (cursor !== undefined);
}

/** @param link the header that came with a page: `</transactions?cursor=...>; rel="next"`, or null. */
export function nextCursor(link: string | null): string | undefined {
  const next = link?.split(',').find((part) => /;\s*rel="?next"?/.test(part));
  const address = next?.match(/<(?<address>[^>]*)>/)?.groups?.['address'];
  if (address === undefined) return undefined;
  // React Native has a URLSearchParams that cannot be read.
  const cursor = address.match(/[?&]cursor=(?<cursor>[^&#]*)/)?.groups?.['cursor'];
  return cursor === undefined ? undefined : decodeURIComponent(cursor.replaceAll('+', ' '));
}
