// Pages lists by keyset, newest first. The cursor is the sort key of a row, so pages stay consistent while rows are added. A page of a
// list with filters reads a bounded number of rows, so it can be short or empty before the list ends.
import { parseInstant } from '../domain/instant.ts';
import { invalid } from '../domain/refusals.ts';
import { type FilteredPageStart, LIST_START, type PageStart, type ReadRow } from '../tables/paging.ts';

export type KeysetPosition = { createdAt: Date; id: string };

/** The parameters of a list's page. */
type PageQuery = { limit?: number; cursor?: string };
type FilteredPageQuery = PageQuery & { from?: string; to?: string };

const limitOf = ({ limit }: PageQuery): number => limit ?? 100;

/**
 * Parses the page parameters of a request. One row more than a page has is read, to find out whether another page follows.
 * @throws Refusal `invalid_request` if the cursor is not one that this service issued.
 */
export const pageStart = (query: PageQuery): PageStart => ({
  ...(query.cursor === undefined ? LIST_START : readCursor(query.cursor)),
  rows: limitOf(query) + 1,
});

/** Returns whether a request has filters. */
export const isFiltered = (query: PageQuery): boolean =>
  Object.keys(query).some((name) => name !== 'limit' && name !== 'cursor');

/** A page of a list with filters reads this many rows for each that it can have, ... */
const READ_PER_ROW = 10;
/** ... and at least this many. */
const READ_AT_LEAST = 500;

/** The lowest id: no row of the same time comes after it. */
const LOWEST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Parses the page parameters of a request with filters, and its period, which begins at `from` and ends before `to`.
 * @throws Refusal `invalid_request` for a wrong cursor, a time that does not exist, and a period that ends before it begins.
 */
export function filteredPageStart(query: FilteredPageQuery): FilteredPageStart {
  const start = pageStart(query);
  const [from, to] = [instantIn(query, 'from'), instantIn(query, 'to')];
  if (from && to && from > to) throw invalid('/query/from', 'must not be after to');
  const isInPeriod = to === null || (start.createdAt !== 'infinity' && start.createdAt < to);
  return {
    ...start,
    ...(!isInPeriod && { createdAt: to, id: LOWEST_ID }),
    from: from ?? '-infinity',
    readable: Math.max(READ_AT_LEAST, READ_PER_ROW * limitOf(query)),
  };
}

function instantIn(query: FilteredPageQuery, name: 'from' | 'to'): Date | null {
  const text = query[name];
  if (text === undefined) return null;
  const instant = parseInstant(text);
  if (instant === null) throw invalid(`/query/${name}`, 'must be a time that exists');
  return instant;
}

const form = /^(\d{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

function readCursor(cursor: string): KeysetPosition {
  const match = form.exec(Buffer.from(cursor, 'base64url').toString());
  const position = match && { createdAt: new Date(Number(match[1])), id: match[2] as string };
  // Decoding is lenient, so the decoded position must encode to the same cursor again.
  if (!position || cursorAfter(position) !== cursor)
    throw invalid('/query/cursor', 'must be a cursor from a Link header');
  return position;
}

const cursorAfter = ({ createdAt, id }: KeysetPosition): string =>
  Buffer.from(`${createdAt.getTime()}.${id}`).toString('base64url');

/**
 * Cuts a page out of the rows that were read: `limit + 1`, or with filters those that match and the last one that could be read.
 * @returns the page, and the Link header if another page may follow. It repeats the filters.
 */
export function page<Row extends KeysetPosition & Partial<ReadRow>>(
  path: string,
  query: PageQuery,
  read: Row[],
): { rows: Row[]; headers?: { Link: string } } {
  const { limit: _limit, cursor: _cursor, ...filters } = query;
  const limit = limitOf(query);
  const matching = read.filter(({ matches = true }) => matches);
  const rows = matching.slice(0, limit);
  const last = matching.length > limit ? rows.at(-1) : read.find(({ isLast = false }) => isLast);
  if (last === undefined) return { rows };
  const next = new URLSearchParams({ limit: String(limit), cursor: cursorAfter(last) });
  for (const [name, value] of Object.entries(filters))
    for (const one of [value].flat()) next.append(name, String(one));
  return { rows, headers: { Link: `<${path}?${next.toString()}>; rel="next"` } };
}
