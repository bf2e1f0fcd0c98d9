// Data keys: one per user and one per month of callbacks, wrapped by the first master key. Unwrapped keys are cached for less than
// an hour, and only until they are destroyed.
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { type Clock, systemClock } from '../domain/clock.ts';
import {
  findDataKey,
  insertMonthKey,
  insertUsersKey,
  listScopesWithKey,
} from '../tables/data-keys/statements.ts';
import type { Db } from '../tables/orm.ts';
import { isMonthScope } from './encryption-contexts.ts';
import { type EncryptionContext, openWith, sealWith } from './envelope.ts';

export type MasterKey = { id: string; key: Buffer };

const KEPT_IN_MEMORY = 10_000;
/** How long a key is cached. With the minute between two checks, it is less than an hour. */
const KEPT_FOR_MS = 58 * 60_000;

/**
 * Loads and creates data keys. They are key objects: sealing with a key object takes half as long as with its bytes, and
 * it cannot be printed by mistake.
 */
export type DataKeys = {
  /**
   * Returns the key for sealing; not a promise if it is in memory. Creates the key of a user who has a row, and
   * the key of a month of callbacks.
   * @throws UserErased if the user has no row.
   */
  keyOf: (scope: string) => KeyObject | Promise<KeyObject>;
  /** Returns the key for opening; not a promise if it is in memory. Null if it was destroyed or never created. */
  findKey: (scope: string) => KeyObject | null | Promise<KeyObject | null>;
  /** Evicts keys that are too old and keys that any process has destroyed. Call it every minute. */
  forgetDestroyed: () => Promise<void>;
};

/** Thrown when a value of a user without a row is to be sealed: the user was erased, so no data key is created. */
export class UserErased extends Error {
  constructor() {
    super('the user has no row, so no data key is created');
    this.name = 'UserErased';
  }
}

/** Returns the result of `work`, or null if the user was erased before it sealed a value. */
export const unlessErased = <Result>(work: Promise<Result>): Promise<Result | null> =>
  work.catch((error: unknown) => {
    if (error instanceof UserErased) return null;
    throw error;
  });

/** Creates the cache of data keys. @param masterKeys the first one wraps new data keys; all of them unwrap. */
export function createDataKeys(db: Db, masterKeys: MasterKey[], clock: Clock = systemClock): DataKeys {
  const opened = new Map<string, { key: KeyObject; openedAtMs: number }>();
  const masters = masterKeys.map(({ id, key }) => ({ id, key: createSecretKey(key) }));
  const [sealing] = masters;
  if (sealing === undefined) throw new Error('no master key');

  const keyInMemory = (scope: string): KeyObject | undefined => {
    const kept = opened.get(scope);
    return kept && clock.now().getTime() - kept.openedAtMs < KEPT_FOR_MS ? kept.key : undefined;
  };

  const load = async (scope: string): Promise<KeyObject | null> => {
    const row = await findDataKey(db, { scope });
    if (!row) return null;
    const master = masters.find(({ id }) => id === row.masterKeyId);
    if (!master)
      throw new Error(`data key wrapped by the master key ${row.masterKeyId}, which is not configured`);
    const key = createSecretKey(openWith(master.key, dataKeyContext(scope), row.wrappedKey));
    if (opened.size >= KEPT_IN_MEMORY) opened.delete(opened.keys().next().value as string);
    opened.set(scope, { key, openedAtMs: clock.now().getTime() });
    return key;
  };

  // Two processes may create a key concurrently. The database keeps the first one, and both processes read it back.
  const create = async (scope: string): Promise<KeyObject> => {
    const wrappedKey = sealWith(sealing.key, dataKeyContext(scope), randomBytes(32));
    const insertKey = isMonthScope(scope) ? insertMonthKey : insertUsersKey;
    await insertKey(db, { scope, masterKeyId: sealing.id, wrappedKey, createdAt: clock.now() });
    const key = await load(scope);
    if (!key) throw new UserErased();
    return key;
  };

  return {
    keyOf: (scope) => keyInMemory(scope) ?? load(scope).then((key) => key ?? create(scope)),
    findKey: (scope) => keyInMemory(scope) ?? load(scope),
    forgetDestroyed: async () => {
      for (const scope of opened.keys()) if (!keyInMemory(scope)) opened.delete(scope);
      for (const scope of await destroyedAmong(db, [...opened.keys()])) opened.delete(scope);
    },
  };
}

async function destroyedAmong(db: Db, scopes: string[]): Promise<string[]> {
  if (scopes.length === 0) return [];
  const stored = new Set((await listScopesWithKey(db, { scopes })).map(({ scope }) => scope));
  return scopes.filter((scope) => !stored.has(scope));
}

export const dataKeyContext = (scope: string): EncryptionContext => ({
  table: 'data_keys',
  column: 'wrapped_key',
  row: scope,
  scope,
  version: null,
});
