// Data keys: one for each user (and each month of webhooks), wrapped by the first master key; unwrapped ones are cached
// for less than an hour and until they are destroyed.
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { MasterKey } from '../config/config.ts';
import type { Db } from '../database/orm.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import { isMonthScope } from './encryption-contexts.ts';
import { type EncryptionContext, openWith, sealWith } from './envelope.ts';

const KEPT_IN_MEMORY = 10_000;
/** With the minute between two checks: less than an hour. */
const KEPT_FOR_MS = 58 * 60_000;

/** Key objects: sealing with one takes half as long as with its bytes, and it cannot be printed by mistake. */
export type DataKeys = {
  /**
   * Returns the key for sealing, without a promise if it is in memory. Creates the key of a user who has a row, and the key
   * of a month of callbacks. @throws UserErased if the user has no row.
   */
  keyOf: (scope: string) => KeyObject | Promise<KeyObject>;
  /** Returns the key for opening, without a promise if it is in memory. @throws if it was destroyed: no value that it sealed can be read again. */
  existingKeyOf: (scope: string) => KeyObject | Promise<KeyObject>;
  /** Evicts keys that are too old, and keys that any process has destroyed. To be called every minute. */
  forgetDestroyed: () => Promise<void>;
};

/** Thrown on sealing a value of a user who has no row: the user was erased, so no data key is created. */
export class UserErased extends Error {
  constructor() {
    super('the user has no row, so no data key is created');
    this.name = 'UserErased';
  }
}

/** @returns the result of `work`, or null if the user was erased before it sealed a value. */
export const unlessErased = <Result>(work: Promise<Result>): Promise<Result | null> =>
  work.catch((error: unknown) => {
    if (error instanceof UserErased) return null;
    throw error;
  });

/** @param masterKeys the first one wraps new data keys, all of them open. */
export function createDataKeys(db: Db, masterKeys: MasterKey[], clock: Clock = systemClock): DataKeys {
  const opened = new Map<string, { key: KeyObject; openedAtMs: number }>();
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
    opened.set(scope, { key, openedAtMs: clock.now().getTime() });
    return key;
  };

  const known = (scope: string): KeyObject | undefined => {
    const kept = opened.get(scope);
    return kept && isYoung(kept) ? kept.key : undefined;
  };
  const isYoung = ({ openedAtMs }: { openedAtMs: number }): boolean =>
    clock.now().getTime() - openedAtMs < KEPT_FOR_MS;

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
    return createSecretKey(openWith(master.key, dataKeyContext(scope), row.wrapped_key));
  };

  // Two processes may create one concurrently: the database keeps the first, and both read it back.
  const create = async (scope: string): Promise<KeyObject> => {
    const wrapped = sealWith(sealing.key, dataKeyContext(scope), randomBytes(32));
    await (isMonthScope(scope) ? insertKey : insertUsersKey)(db, scope, sealing.id, wrapped, clock.now());
    const key = await load(scope);
    if (!key) throw new UserErased();
    return key;
  };

  return {
    keyOf: (scope) => known(scope) ?? loadOrCreate(scope),
    existingKeyOf: (scope) => known(scope) ?? loadExisting(scope),
    forgetDestroyed: async () => {
      for (const [scope, kept] of opened) if (!isYoung(kept)) opened.delete(scope);
      for (const scope of await destroyedAmong(db, [...opened.keys()])) opened.delete(scope);
    },
  };
}

const insertKey = (db: Db, scope: string, masterKeyId: string, wrapped: Buffer, at: Date): Promise<unknown> =>
  sql`
    insert into data_keys (scope, master_key_id, wrapped_key, created_at)
    values (${scope}, ${masterKeyId}, ${wrapped}, ${at})
    on conflict do nothing
  `.execute(db);

/**
 * Inserts nothing if the user has no row. An erasure locks the row for update: if it was first, this statement waits for it and
 * then finds no row. If this statement was first, the erasure waits for it and deletes the key.
 */
const insertUsersKey = (
  db: Db,
  userId: string,
  masterKeyId: string,
  wrapped: Buffer,
  at: Date,
): Promise<unknown> =>
  sql`
    insert into data_keys (scope, master_key_id, wrapped_key, created_at)
    select ${userId}::text, ${masterKeyId}::text, ${wrapped}::bytea, ${at}::timestamptz
    from users where id = ${userId}::uuid
    for key share
    on conflict do nothing
  `.execute(db);

async function destroyedAmong(db: Db, scopes: string[]): Promise<string[]> {
  if (scopes.length === 0) return [];
  const { rows } = await sql<{ scope: string }>`
    select scope from unnest(${scopes}::text[]) as kept (scope)
    where not exists (select from data_keys where data_keys.scope = kept.scope)
  `.execute(db);
  return rows.map(({ scope }) => scope);
}

/** The encryption context of a wrapped data key. */
export const dataKeyContext = (scope: string): EncryptionContext => ({
  table: 'data_keys',
  column: 'wrapped_key',
  row: scope,
  scope,
  version: null,
});
