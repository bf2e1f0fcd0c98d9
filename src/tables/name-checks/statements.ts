// The checks of the names on bank accounts.

import { sql } from 'kysely';
import { NAME_CHECK_VALID_MS } from '../../domain/lookup-life.ts';
import { equals, everyProperty, prepared } from '../prepared.ts';
import type { Entity } from '../rows.ts';

type NameCheck = Entity<'NameCheck'>;
type Key = Pick<NameCheck, 'id' | 'userId'>;

/** Inserts a check. Its times are by the database's clock, because another process may decide whether it has expired. */
export const insertNameCheck = prepared.first((db, check: Omit<NameCheck, 'createdAt' | 'expiresAt'>) =>
  db
    .insertInto('NameCheck')
    .values(
      everyProperty('NameCheck', check, {
        createdAt: sql<Date>`now()`,
        expiresAt: sql<Date>`now() + make_interval(secs => ${sql.lit(NAME_CHECK_VALID_MS / 1_000)})`,
      }),
    )
    .returning('expiresAt'),
);

export const findNameCheck = prepared.first((db, { id, userId }: Key) =>
  db.selectFrom('NameCheck').selectAll().where(equals({ id, userId })),
);

/** A user cannot make as many checks while one of them counts. */
const MAX_VALID = 1_000;

/** Lists the checks that count for one save of the details, the newest first. @param now the database's clock. */
export const listValidNameChecks = prepared.all(
  (db, { userId, bankDetailsId, bankDetailsVersion, now }: WantedChecks & { now: Date }) =>
    db
      .selectFrom('NameCheck')
      .select(['id', 'validationStatus'])
      .where(equals({ userId, bankDetailsId, bankDetailsVersion }))
      .where('expiresAt', '>', now)
      .orderBy('createdAt', 'desc')
      .orderBy('id', 'desc')
      .limit(sql.lit(MAX_VALID)),
);

/** Finds the newest check that counts for one save of the details. @param now the database's clock. */
export const findNewestNameCheck = prepared.first(
  (db, { userId, bankDetailsId, bankDetailsVersion, now }: WantedChecks & { now: Date }) =>
    db
      .selectFrom('NameCheck')
      .selectAll()
      .where(equals({ userId, bankDetailsId, bankDetailsVersion }))
      .where('expiresAt', '>', now)
      .orderBy('createdAt', 'desc')
      .orderBy('id', 'desc')
      .limit(sql.lit(1)),
);

export type WantedChecks = Pick<NameCheck, 'userId' | 'bankDetailsId' | 'bankDetailsVersion'>;

export const deleteNameChecksOfUser = prepared.count((db, { userId }: { userId: string }) =>
  db.deleteFrom('NameCheck').where(equals({ userId })),
);
