// Rows read as JSON, so that one statement can return them beside the user's row (see auth/authenticate.ts), or a list
// of them as one value. Timestamps are ISO texts then, and bytes are hexadecimal.
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../database/orm.ts';

export type Rows<Shape = unknown> = RawBuilder<Shape>;

/** @param query selects one row, or none. */
export const oneRow = <Row>(query: RawBuilder<unknown>): Rows<Row | null> =>
  sql<Row | null>`(select to_json(one) from (${query}) one)`;

export const listOf = <Row>(query: RawBuilder<unknown>): Rows<Row[]> =>
  sql<Row[]>`(select coalesce(json_agg(one), '[]') from (${query}) one)`;

/** The rows alone, without the user's. */
export async function readRows<Shape>(db: Db, rows: Rows<Shape>): Promise<Shape> {
  const row = await db.selectNoFrom(rows.as('rows')).executeTakeFirstOrThrow();
  return row.rows as Shape;
}

/**
 * Milliseconds in UTC. Most timestamps are in this form already but for the `Z`; a Date for each would be a tenth of a
 * list's cost. PostgreSQL omits trailing zeros, and writes in the session's own zone.
 */
export const isoTime = (moment: string): string =>
  moment.length === 29 && moment.endsWith('+00:00')
    ? `${moment.slice(0, 23)}Z`
    : new Date(moment).toISOString();

/** @param hexadecimal as PostgreSQL writes it: `\x0123`. */
export const bytesOf = (hexadecimal: string): Buffer => Buffer.from(hexadecimal.slice(2), 'hex');
