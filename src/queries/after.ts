// The condition that continues a list after its cursor; rows of one moment are ordered by their ids.

import type { SqlBool } from 'kysely';
import { type RawBuilder, sql } from 'kysely';
import type { KeysetPage } from './paging.ts';

export function after(table: string, { after: place }: KeysetPage): RawBuilder<SqlBool> {
  if (place === null) return sql<SqlBool>`true`;
  const { createdAt, id } = place;
  return sql<SqlBool>`(${sql.ref(`${table}.created_at`)}, ${sql.ref(`${table}.id`)}) < (${createdAt}::timestamptz, ${id}::uuid)`;
}
