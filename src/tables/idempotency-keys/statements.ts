// The idempotency keys of clients' requests.

import { sql } from 'kysely';
import type { DatabaseTime } from '../../platform/database/database-time.ts';
import { equals, everyProperty, prepared } from '../prepared.ts';
import { type Entity } from '../rows.ts';
import { isUnfinishedMoney } from '../unfinished.ts';

type IdempotencyKey = Entity<'IdempotencyKey'>;

type Key = Pick<IdempotencyKey, 'userId' | 'operation' | 'key'>;

/** Until the database transaction ends, no other request can use the key. */
export const lockIdempotencyKey = prepared.all(
  (_db, { lockName }: { lockName: string }) =>
    sql`select pg_advisory_xact_lock(hashtextextended(${lockName}, 0))`,
);

export const findIdempotencyKey = prepared.first((db, { userId, operation, key }: Key) =>
  db.selectFrom('IdempotencyKey').selectAll().where(equals({ userId, operation, key })),
);

export const insertIdempotencyKey = prepared.count((db, params: Omit<IdempotencyKey, 'createdAt'>) =>
  db
    .insertInto('IdempotencyKey')
    .values(everyProperty('IdempotencyKey', params, { createdAt: sql<Date>`now()` })),
);

export const deleteKeysOfUser = prepared.count((db, { userId }: { userId: string }) =>
  db.deleteFrom('IdempotencyKey').where('userId', '=', userId),
);

/** The number of rows that one statement deletes is a literal in it. */
export const OLD_KEYS_PAGE = 1_000;

/** Deletes a page of keys of this age, unless their payment or withdrawal is unfinished. */
export const deleteOldKeysPage = prepared.count(
  (_db, { until }: { until: DatabaseTime }) => sql`
    delete from idempotency_keys
    where (user_id, operation, key) in (
      select kept.user_id, kept.operation, kept.key from idempotency_keys as kept
      where kept.created_at <= ${until} and not ${isUnfinishedMoney(sql`kept.resource_id`, sql`kept.user_id`)}
      order by kept.created_at
      limit ${sql.lit(OLD_KEYS_PAGE)}
    )`,
);
