// The data keys, each wrapped by a master key.
import { sql } from 'kysely';
import { everyProperty, prepared } from '../prepared.ts';
import type { Entity } from '../rows.ts';

type DataKey = Entity<'DataKey'>;

export const findDataKey = prepared.first((db, { scope }: { scope: string }) =>
  db.selectFrom('DataKey').selectAll().where('scope', '=', scope),
);

/** Inserts the key of a month of callbacks. A key that another process inserted first stays. */
export const insertMonthKey = prepared.count((db, key: DataKey) =>
  db
    .insertInto('DataKey')
    .values(everyProperty('DataKey', key))
    .onConflict((conflict) => conflict.doNothing()),
);

/**
 * Inserts nothing if the user has no row. An erasure locks the row for update: if it was first, this statement waits for it and
 * then finds no row. If this statement was first, the erasure waits for it and deletes the key.
 */
export const insertUsersKey = prepared.count(
  (_db, { scope, masterKeyId, wrappedKey, createdAt }: DataKey) => sql`
    insert into data_keys (scope, master_key_id, wrapped_key, created_at)
    select ${scope}::text, ${masterKeyId}::text, ${wrappedKey}::bytea, ${createdAt}::timestamptz
    from users where id = ${scope}::uuid
    for key share
    on conflict do nothing`,
);

export const listScopesWithKey = prepared.all(
  (_db, { scopes }: { scopes: string[] }) => sql<Pick<DataKey, 'scope'>>`
    select scope from data_keys where scope = any(${scopes}::text[])`,
);

/** Destroys a key: no value that it sealed can be read again. */
export const deleteDataKey = prepared.count((db, { scope }: { scope: string }) =>
  db.deleteFrom('DataKey').where('scope', '=', scope),
);

export const countKeysByMaster = prepared.all((db) =>
  db
    .selectFrom('DataKey')
    .select(['masterKeyId', sql<number>`count(*)`.as('dataKeys')])
    .groupBy('masterKeyId')
    .orderBy('masterKeyId'),
);

/** Lists a page of the keys that a master key wraps. */
export const listKeysOfMaster = prepared.all(
  (db, { masterKeyId, after, limit }: { masterKeyId: string; after: string; limit: number }) =>
    db
      .selectFrom('DataKey')
      .select(['scope', 'wrappedKey'])
      .where('masterKeyId', '=', masterKeyId)
      .where('scope', '>', after)
      .orderBy('scope')
      .limit(limit),
);

/** @param params `wrappedKeys` has the new wrapped key of each scope, at the same index. */
export const replaceWrappedKeys = prepared.count(
  (_db, params: { formerId: string; masterKeyId: string; scopes: string[]; wrappedKeys: Buffer[] }) => sql`
    update data_keys set master_key_id = ${params.masterKeyId}, wrapped_key = fresh.wrapped_key
    from unnest(${params.scopes}::text[], ${params.wrappedKeys}::bytea[]) as fresh (scope, wrapped_key)
    where data_keys.scope = fresh.scope and data_keys.master_key_id = ${params.formerId}`,
);
