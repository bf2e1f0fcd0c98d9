// Reads a page of a list item by item. An item that cannot be read is reported separately and does not hide the others.
import { isUuid } from '../domain/ids.ts';
import type { ListPage, ListRequest } from './port.ts';
import type { FaultOf } from './wire.ts';

/** A page as it is on the wire. `fault` says why an item does not match the contract; null if it does. */
export type ListedReply<Item> = { results: { item: Item; fault: string | null }[]; next: string | null };

type WirePage<Item> = { results: Item[]; next: string | null };

/** Validates the items of a page one by one. Returns null if the body is not a page. */
export function readItems<Item>(body: unknown, faultOf: FaultOf): ListedReply<Item> | null {
  if (!isPage<Item>(body) || faultOf({ ...body, results: [] }) !== null) return null;
  const results = body.results.map((item) => ({
    item,
    fault:
      faultOf({ ...body, results: [item] })
        ?.replace(/^\/results\/0\/?/, '')
        .trim() ?? null,
  }));
  return { results, next: body.next };
}

const isPage = <Item>(body: unknown): body is WirePage<Item> =>
  typeof body === 'object' && body !== null && 'results' in body && Array.isArray(body.results);

/**
 * Maps the items of a page.
 * @param mapping an item for which it throws counts as unreadable.
 */
export function pageOf<Reply, Mapped>(
  { after }: ListRequest,
  mapping: (reply: Reply) => Mapped,
  { results, next }: ListedReply<Reply>,
): ListPage<Mapped> {
  const page: ListPage<Mapped> = { items: [], unreadable: [], refs: [], next: next?.toLowerCase() ?? null };
  for (const { item, fault } of results) {
    const read = fault === null ? mapped(mapping, item) : { why: fault };
    const providerRef = uuidOf(item);
    if ('item' in read) page.items.push(read.item);
    else {
      const position = page.refs.at(-1) ?? after;
      page.unreadable.push({ providerRef, position, index: page.items.length, why: read.why });
    }
    if (providerRef !== null) page.refs.push(providerRef);
  }
  return page;
}

function mapped<Reply, Mapped>(
  mapping: (reply: Reply) => Mapped,
  reply: Reply,
): { item: Mapped } | { why: string } {
  try {
    return { item: mapping(reply) };
  } catch {
    return { why: 'an amount, a time or the account that it is about' };
  }
}

function uuidOf(item: unknown): string | null {
  const uuid = typeof item === 'object' && item !== null && 'uuid' in item ? item.uuid : null;
  return typeof uuid === 'string' && isUuid(uuid) ? uuid.toLowerCase() : null;
}
