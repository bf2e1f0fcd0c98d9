// The idempotency keys of clients' requests.
import { sql } from 'kysely';
import { everyProperty, prepared } from '../database/prepared.ts';
import type { Entity } from '../entities/rows.ts';

type IdempotencyKey = Entity<'IdempotencyKey'>;
type Key = Pick<IdempotencyKey, 'userId' | 'operation' | 'key'>;

/** Until the database transaction ends, no other request can use the key. */
export const lockIdempotencyKey = prepared.all(
  (_db, { lockName }: { lockName: string }) =>
    sql`select pg_advisory_xact_lock(hashtextextended(${lockName}, 0))`,
);

export const findIdempotencyKey = prepared.first((db, { userId, operation, key }: Key) =>
  db
    .selectFrom('IdempotencyKey')
    .selectAll()
    .where('userId', '=', userId)
    .where('operation', '=', operation)
    .where('key', '=', key),
);

export const insertIdempotencyKey = prepared.count((db, given: IdempotencyKey) =>
  db.insertInto('IdempotencyKey').values(everyProperty('IdempotencyKey', given)),
);
