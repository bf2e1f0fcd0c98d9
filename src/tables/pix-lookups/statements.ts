// The look-ups of recipients.

import { sql } from 'kysely';
import { LOOKUP_VALID_MS } from '../../domain/lookup-life.ts';
import type { DatabaseTime } from '../../platform/database/database-time.ts';
import { equals, everyProperty, prepared } from '../prepared.ts';
import type { Entity } from '../rows.ts';

type PixLookup = Entity<'PixLookup'>;
type Key = Pick<PixLookup, 'id' | 'userId'>;

/** Inserts a look-up. Its times are by the database's clock, because another process may decide whether it has expired. */
export const insertLookup = prepared.first(
  (db, lookup: Omit<PixLookup, 'usedAt' | 'tokenReturnedAt' | 'createdAt' | 'expiresAt'>) =>
    db
      .insertInto('PixLookup')
      .values(
        everyProperty('PixLookup', lookup, {
          usedAt: null,
          tokenReturnedAt: null,
          createdAt: sql<Date>`now()`,
          expiresAt: sql<Date>`now() + make_interval(secs => ${sql.lit(LOOKUP_VALID_MS / 1_000)})`,
        }),
      )
      .returning('expiresAt'),
);

export const findLookup = prepared.first((db, { id, userId }: Key) =>
  db.selectFrom('PixLookup').selectAll().where(equals({ id, userId })),
);

export const setLookupUsed = prepared.count((db, { id, userId, usedAt }: Key & { usedAt: Date }) =>
  db
    .updateTable('PixLookup')
    .set({ usedAt })
    .where(equals({ id, userId, usedAt: null })),
);

/** Marks that the look-up's token comes back. Writes no row if it came back before. */
export const setTokenReturned = prepared.count(
  (_db, { id, userId }: Key) => sql`
    update pix_lookups set token_returned_at = now()
    where id = ${id} and user_id = ${userId} and token_returned_at is null`,
);

export const deleteUnusedLookupsOfUser = prepared.count((db, { userId }: { userId: string }) =>
  db.deleteFrom('PixLookup').where(equals({ userId, usedAt: null })),
);

/** The number of rows that one statement lists is a literal in it. */
export const UNUSED_LOOKUPS_PAGE = 1_000;

/** Lists a page of unused look-ups of this age. */
export const listUnusedLookups = prepared.all(
  (_db, { until }: { until: DatabaseTime }) => sql<Key>`
    select id, user_id from pix_lookups
    where used_at is null and created_at < ${until}
    order by created_at
    limit ${sql.lit(UNUSED_LOOKUPS_PAGE)}`,
);

/** Deletes look-ups, unless they were used meanwhile. */
export const deleteUnusedLookups = {
  together: prepared.count(
    (_db, { userIds, ids }: { userIds: string[]; ids: string[] }) => sql`
      delete from pix_lookups
      where user_id = any(${userIds}::uuid[]) and id = any(${ids}::uuid[]) and used_at is null`,
  ),
  /** Deletes one, unless it is locked. */
  each: prepared.count(
    (_db, { id, userId }: Key) => sql`
      delete from pix_lookups
      where user_id = ${userId} and id = (
        select id from pix_lookups where user_id = ${userId} and id = ${id} and used_at is null
        for update skip locked
      )`,
  ),
};
