// Rows that come as JSON, so that one statement can bring them beside the person who asks for them (see
// auth/authenticate.ts), or a list of them as one value. Moments are ISO texts then, and bytes are hexadecimal.
import { type AliasableExpression, expressionBuilder } from 'kysely';
import type { Db } from '../database/orm.ts';
import type { Tables } from '../entities/index.ts';

export type Rows<Shape = unknown> = AliasableExpression<Shape>;

/** For the statements of such rows. */
export const tables = expressionBuilder<Tables>();

/** The rows alone, without the person. */
export async function readRows<Shape>(db: Db, rows: Rows<Shape>): Promise<Shape> {
  const row = await db.selectNoFrom(rows.as('rows')).executeTakeFirstOrThrow();
  return row.rows as Shape;
}

export const isoTime = (moment: string): string => new Date(moment).toISOString();

/** @param hexadecimal as PostgreSQL writes it: `\x0123`. */
export const bytesOf = (hexadecimal: string): Buffer => Buffer.from(hexadecimal.slice(2), 'hex');
