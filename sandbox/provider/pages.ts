// Cursor pages over append-only rows.
import type { World } from '../world.ts';
import { refuse } from './refusal.ts';

/** The position of a cursor in the order of rows. 0 without a cursor. */
export function positionOf(world: World, sql: string, cursor: string | undefined, ...rest: string[]): number {
  if (cursor === undefined) return 0;
  const row = world.store.get<{ seq: number }>(sql, cursor.toLowerCase(), ...rest);
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
