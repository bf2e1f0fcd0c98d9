// One data key for each user (and each month of webhooks), wrapped by the first master key; opened ones are kept in memory.
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { MasterKey } from '../config.ts';
import type { Db } from '../database/orm.ts';
import { openWith, type Place, sealWith } from './envelope.ts';

const KEPT_IN_MEMORY = 10_000;

/** Key objects: sealing with one takes half as long as with its bytes, and it cannot be printed by mistake. */
export type DataKeys = {
  /** For sealing: made where there is none yet. At once when it is in memory. */
  keyOf: (scope: string) => KeyObject | Promise<KeyObject>;
  /** For opening; the same. @throws when the key was destroyed: nothing that it sealed can be read again. */
  existingKeyOf: (scope: string) => KeyObject | Promise<KeyObject>;
};

/** @param masterKeys the first one wraps new data keys, all of them open. */
export function createDataKeys(db: Db, masterKeys: MasterKey[]): DataKeys {
  const opened = new Map<string, KeyObject>();
  const masters = masterKeys.map(({ id, key }) => ({ id, key: createSecretKey(key) }));
  const [sealing] = masters;
  if (sealing === undefined) throw new Error('no master key');

  const loadOrCreate = async (scope: string): Promise<KeyObject> =>
    remember(scope, (await load(scope)) ?? (await create(scope)));

  const loadExisting = async (scope: string): Promise<KeyObject> => {
    const key = await load(scope);
    if (key === null) throw new Error('the data key was destroyed');
    return remember(scope, key);
  };

  const remember = (scope: string, key: KeyObject): KeyObject => {
    if (opened.size >= KEPT_IN_MEMORY) opened.delete(opened.keys().next().value as string);
    opened.set(scope, key);
    return key;
  };

  const load = async (scope: string): Promise<KeyObject | null> => {
    const row = await db
      .selectFrom('data_keys')
      .select(['master_key_id', 'wrapped_key'])
      .where('scope', '=', scope)
      .executeTakeFirst();
    if (!row) return null;
    const master = masters.find(({ id }) => id === row.master_key_id);
    if (!master)
      throw new Error(`data key wrapped by the master key ${row.master_key_id}, which is not configured`);
    return createSecretKey(openWith(master.key, dataKeyPlace(scope), row.wrapped_key));
  };

  // Two processes may create at once; the database keeps one, and both read that one back.
  const create = async (scope: string): Promise<KeyObject> => {
    await db
      .insertInto('data_keys')
      .values({
        scope,
        master_key_id: sealing.id,
        wrapped_key: sealWith(sealing.key, dataKeyPlace(scope), randomBytes(32)),
        created_at: new Date(),
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const key = await load(scope);
    if (!key) throw new Error('a data key vanished while it was made');
    return key;
  };

  return {
    keyOf: (scope) => opened.get(scope) ?? loadOrCreate(scope),
    existingKeyOf: (scope) => opened.get(scope) ?? loadExisting(scope),
  };
}

/** Where a wrapped data key lives. */
export const dataKeyPlace = (scope: string): Place => ({
  table: 'data_keys',
  column: 'wrapped_key',
  row: scope,
  scope,
});
