// A list without its pages: one thing after the other, asking for the next page when it is needed.

type Page<Item> = { items: Item[]; link: string | null };

/** @param read one page; the first without a cursor. */
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
  return new URLSearchParams(address.slice(address.indexOf('?') + 1)).get('cursor') ?? undefined;
}
