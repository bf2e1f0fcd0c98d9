// Pages lists by keyset, newest first. The cursor is the sort key of a page's last row, so pages stay
// consistent while rows are added.
import { invalid } from '../domain/refusals.ts';
import { LIST_START, type PageStart } from '../tables/paging.ts';

export type KeysetPosition = { createdAt: Date; id: string };
export type KeysetPage = { limit: number; after: KeysetPosition | null };

/** Reads one row more than a page has, to find out whether another page follows. */
export const pageStart = ({ limit, after }: KeysetPage): PageStart => ({
  ...(after ?? LIST_START),
  rows: limit + 1,
});

const form = /^(\d{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Parses the page parameters of a request. @throws Refusal `invalid_request` if the cursor is not one that this service issued. */
export function pageRequest({ limit, cursor }: { limit?: number; cursor?: string }): KeysetPage {
  return { limit: limit ?? 100, after: cursor === undefined ? null : readCursor(cursor) };
}

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
 * Cuts a page out of `limit + 1` rows.
 * @returns the page, and the Link header if another page follows.
 */
export function page<Row extends KeysetPosition>(
  path: string,
  { limit }: KeysetPage,
  rows: Row[],
): { rows: Row[]; headers?: { Link: string } } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  if (rows.length <= limit || last === undefined) return { rows: shown };
  const query = new URLSearchParams({ limit: String(limit), cursor: cursorAfter(last) });
  return { rows: shown, headers: { Link: `<${path}?${query.toString()}>; rel="next"` } };
}
