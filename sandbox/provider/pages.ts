// Cursor pages: over append-only rows, and over the rows whose time lies in a window, ordered by that time and the uuid.
import type { SandboxContext } from '../context.ts';
import type { Call } from './operation.ts';
import { refuse } from './refusal.ts';

/** The position of a cursor in the order of rows. 0 without a cursor. */
export function positionOf(
  context: SandboxContext,
  sql: string,
  cursor: string | undefined,
  ...rest: string[]
): number {
  if (cursor === undefined) return 0;
  const row = context.store.get<{ seq: number }>(sql, cursor.toLowerCase(), ...rest);
  if (!row) throw refuse('not_found', 'no such cursor');
  return row.seq;
}

/** Makes a page of `rows`, which were queried with one more than the limit: the additional row means that there is a next page. */
export function pageOf<Row extends { uuid: string }, Item>(
  rows: Row[],
  limit: number,
  present: (row: Row) => Item,
) {
  const page = rows.slice(0, limit);
  return {
    results: page.map(present),
    next: rows.length > limit ? (page.at(-1)?.uuid ?? null) : null,
  };
}

type Listed = { table: 'transfers' | 'payouts' | 'movements'; time: 'updated_at' | 'created_at' };

/**
 * Lists one row more than the limit. A cursor whose object has moved to a later time continues from there, as keyset pages do.
 * @throws 404 if no object has the cursor, 400 if a time is missing or is not a time.
 */
export function rowsInWindow<Row>(context: SandboxContext, { query }: Call, { table, time }: Listed): Row[] {
  const { after, limit = 100 } = query;
  const [from, to] =
    time === 'updated_at' ? [query.updated_from, query.updated_to] : [query.created_from, query.created_to];
  const position = { at: timeFrom(from), uuid: '' };
  if (after !== undefined) {
    const cursor = context.store.get<{ at: number }>(
      `select ${time} as at from ${table} where uuid = ?`,
      after.toLowerCase(),
    );
    if (!cursor) throw refuse('not_found', 'no such cursor');
    if (cursor.at >= position.at) Object.assign(position, { at: cursor.at, uuid: after.toLowerCase() });
  }
  return context.store.all<Row>(
    `select * from ${table} where (${time}, uuid) > (?, ?) and ${time} < ? order by ${time}, uuid limit ?`,
    position.at,
    position.uuid,
    timeFrom(to),
    limit + 1,
  );
}

function timeFrom(text: string | undefined): number {
  const time = Date.parse(text ?? '');
  if (Number.isNaN(time)) throw refuse('invalid_request', 'a window has two times');
  return time;
}
