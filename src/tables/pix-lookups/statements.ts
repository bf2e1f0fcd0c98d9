// The look-ups of recipients.

import { sql } from 'kysely';
import { LOOKUP_VALID_MS } from '../../domain/lookup-life.ts';
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
