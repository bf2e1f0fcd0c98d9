// The PIX codes that users have read.

import { sql } from 'kysely';
import { LOOKUP_VALID_MS } from '../../domain/lookup-life.ts';
import { equals, everyProperty, prepared } from '../prepared.ts';
import type { Entity } from '../rows.ts';

type PixCode = Entity<'PixCode'>;
type Key = Pick<PixCode, 'id' | 'userId'>;

/** Inserts a code. Its times are by the database's clock, because another process may decide whether it has expired. */
export const insertCode = prepared.first(
  (db, code: Omit<PixCode, 'usedAt' | 'tokenReturnedAt' | 'createdAt' | 'expiresAt'>) =>
    db
      .insertInto('PixCode')
      .values(
        everyProperty('PixCode', code, {
          usedAt: null,
          tokenReturnedAt: null,
          createdAt: sql<Date>`now()`,
          expiresAt: sql<Date>`now() + make_interval(secs => ${sql.lit(LOOKUP_VALID_MS / 1_000)})`,
        }),
      )
      .returning('expiresAt'),
);

export const findCode = prepared.first((db, { id, userId }: Key) =>
  db.selectFrom('PixCode').selectAll().where(equals({ id, userId })),
);

export const setCodeUsed = prepared.count((db, { id, userId, usedAt }: Key & { usedAt: Date }) =>
  db
    .updateTable('PixCode')
    .set({ usedAt })
    .where(equals({ id, userId, usedAt: null })),
);

/** Marks that the code's token comes back. Writes no row if it came back before. */
export const setCodeTokenReturned = prepared.count(
  (_db, { id, userId }: Key) => sql`
    update pix_codes set token_returned_at = now()
    where id = ${id} and user_id = ${userId} and token_returned_at is null`,
);

export const deleteUnusedCodesOfUser = prepared.count((db, { userId }: { userId: string }) =>
  db.deleteFrom('PixCode').where(equals({ userId, usedAt: null })),
);
