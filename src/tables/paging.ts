// One page of a user's list, newest first.
import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** @param rows how many to read. */
export type PageStart = { createdAt: Date | 'infinity'; id: string; rows: number };

/**
 * Continues a list after the row with this time and id. Rows of one moment are in the order of their ids.
 * @param column has the time.
 */
export const isAfter = (
  table: string,
  { createdAt, id }: PageStart,
  column = 'created_at',
): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.ref(`${table}.${column}`)}, ${sql.ref(`${table}.id`)}) < (${createdAt}::timestamptz, ${id}::uuid)`;

/** The start of a list: every row comes after it. */
export const LIST_START = { createdAt: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' } as const;
