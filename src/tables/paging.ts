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

/**
 * One page of a list with filters.
 * @param from the time of the oldest row that the list can have.
 * @param readable how many rows may be read to find matching ones.
 */
export type FilteredPageStart = PageStart & { from: Date | '-infinity'; readable: number };

/** Says of a row that was read whether it matches the filters, and whether it is the last one that may be read. */
export type ReadRow = { matches: boolean; isLast: boolean };

/** Whether a row is the last one that may be read. Selected as `isLast` from the rows in the order of the list. */
export const isLastReadable = (table: string, { readable }: FilteredPageStart): RawBuilder<boolean> =>
  sql<boolean>`row_number() over (order by ${sql.ref(`${table}.created_at`)} desc, ${sql.ref(`${table}.id`)} desc) = ${readable}::int`;

/** Selects the properties of a {@link ReadRow}, by which the list was read as `table`. */
export const readRow = (table: string) => [
  sql<boolean>`${sql.ref(`${table}.matches`)}`.as('matches'),
  sql<boolean>`${sql.ref(`${table}.isLast`)}`.as('isLast'),
];

/** Selects the rows that match the filters, and the last one that may be read. */
export const matchesOrIsLast = (table: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.ref(`${table}.matches`)} or ${sql.ref(`${table}.isLast`)})`;

/** Whether a column has one of some values. Null excludes no row. */
export const isAmong = (column: string, values: string[] | null): RawBuilder<SqlBool> =>
  sql<SqlBool>`coalesce(${sql.ref(column)} = any(${values}), true)`;

/** Whether an amount is in a range, both bounds included. A bound that is null excludes no row. */
export const isBetween = (column: string, min: number | null, max: number | null): RawBuilder<SqlBool> =>
  sql<SqlBool>`coalesce(${sql.ref(column)} >= ${min}::bigint, true) and coalesce(${sql.ref(column)} <= ${max}::bigint, true)`;
