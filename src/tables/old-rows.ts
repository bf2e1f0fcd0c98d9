// The rows that are kept for a day: look-ups and codes that no payment has used, and checks of names.
import { type SqlBool, sql } from 'kysely';
import type { DatabaseTime } from '../platform/database/database-time.ts';
import { prepared } from './prepared.ts';

type Key = { id: string; userId: string };

/** The number of rows that one statement lists is a literal in it. */
export const OLD_ROWS_PAGE = 1_000;

const oldRowsOf = (name: string, isUnneeded = sql<SqlBool>`true`) => {
  const table = sql.table(name);
  return {
    /** Lists a page of the rows of this age, the oldest first. */
    list: prepared.all(
      (_db, { until }: { until: DatabaseTime }) => sql<Key>`
        select id, user_id from ${table} where ${isUnneeded} and created_at < ${until}
        order by created_at limit ${sql.lit(OLD_ROWS_PAGE)}`,
    ),
    /** Deletes rows, unless they were used meanwhile. */
    deleteTogether: prepared.count(
      (_db, { userIds, ids }: { userIds: string[]; ids: string[] }) => sql`
        delete from ${table}
        where user_id = any(${userIds}::uuid[]) and id = any(${ids}::uuid[]) and ${isUnneeded}`,
    ),
    /** Deletes one row, unless it is locked. */
    deleteOne: prepared.count(
      (_db, { id, userId }: Key) => sql`
        delete from ${table} where user_id = ${userId} and id = (
          select id from ${table} where user_id = ${userId} and id = ${id} and ${isUnneeded}
          for update skip locked
        )`,
    ),
  };
};

export type OldRows = ReturnType<typeof oldRowsOf>;

export const unusedLookups = oldRowsOf('pix_lookups', sql<SqlBool>`used_at is null`);
export const unusedCodes = oldRowsOf('pix_codes', sql<SqlBool>`used_at is null`);
export const oldNameChecks = oldRowsOf('name_checks');
