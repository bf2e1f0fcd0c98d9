// A process keeps a data key in memory for less than an hour, and for at most a minute after the key was destroyed.
import { randomBytes } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../src/domain/clock.ts';
import { inDbTransaction } from '../../src/platform/database/db-transaction.ts';
import { eraseUser } from '../../src/privacy/erase-user.ts';
import type { MasterKey } from '../../src/security/data-keys.ts';
import { createDataKeys, UserErased } from '../../src/security/data-keys.ts';
import { encryptionContexts } from '../../src/security/encryption-contexts.ts';
import { readConfig } from '../../src/start/config.ts';
import { createApp } from '../../src/start/create-app.ts';
import type { Db } from '../../src/tables/orm.ts';
import { insertUser } from '../support/bare-users.ts';
import { byTable } from '../support/by-table.ts';
import { createTestClock } from '../support/clock.ts';
import { watchedLog } from '../support/leak-watch.ts';
import { waitingForLocks } from '../support/locks.ts';
import { must, signUp } from '../support/person.ts';
import { until } from '../support/until.ts';
import { useOrm } from '../support/use-database.ts';
import { startWorld } from '../support/world.ts';

const MINUTE_MS = 60_000;
const SIX_YEARS_MS = 6 * 366 * 24 * 60 * MINUTE_MS;
const master: MasterKey = { id: 'present', key: randomBytes(32) };
const database = useOrm(6);

let ada: string;
let bea: string;
beforeEach(async () => {
  await byTable(database.db).deleteFrom('data_keys').execute();
  ada = await insertUser(database.db);
  bea = await insertUser(database.db);
});

const destroy = (scope: string) =>
  byTable(database.db).deleteFrom('data_keys').where('scope', '=', scope).execute();

test('a data key is used from memory for less than an hour', async () => {
  const clock = createTestClock();
  const { keyOf, findKey } = createDataKeys(database.db, [master], clock);
  await keyOf(ada);
  await destroy(ada);
  clock.advance(50 * MINUTE_MS);
  expect(await findKey(ada)).not.toBeNull();
  clock.advance(9 * MINUTE_MS);
  expect(await findKey(ada)).toBeNull();
});

test('a data key that another process destroyed is forgotten, and no other key is', async () => {
  const [one, other] = [createDataKeys(database.db, [master]), createDataKeys(database.db, [master])];
  const keyOfBea = await one.keyOf(bea);
  for (const keys of [one, other]) await keys.keyOf(ada);
  await destroy(ada);
  expect(await one.findKey(ada)).not.toBeNull();
  await one.forgetDestroyed();
  expect(await one.findKey(ada)).toBeNull();
  expect(one.findKey(bea)).toBe(keyOfBea);
});

const scopes = async () =>
  (await byTable(database.db).selectFrom('data_keys').select('scope').execute()).map(({ scope }) => scope);
const eraseRows = async (tx: Db) => {
  await byTable(tx).selectFrom('users').select('id').where('id', '=', ada).forUpdate().execute();
  await byTable(tx).deleteFrom('users').where('id', '=', ada).execute();
  await byTable(tx).deleteFrom('data_keys').where('scope', '=', ada).execute();
};

test('sealing for an erased user fails and creates no key', async () => {
  const { keyOf } = createDataKeys(database.db, [master]);
  await keyOf(ada);
  await inDbTransaction(database.db, eraseRows);
  const fresh = createDataKeys(database.db, [master]);
  await expect(async () => fresh.keyOf(ada)).rejects.toThrow(UserErased);
  expect(await scopes()).toEqual([]);
});

test('sealing that waits for an erasure to commit creates no key', async () => {
  const { keyOf } = createDataKeys(database.db, [master]);
  let sealing: Promise<unknown> = Promise.resolve();
  await inDbTransaction(database.db, async (tx) => {
    await eraseRows(tx);
    sealing = Promise.resolve(keyOf(ada)).catch((error: unknown) => error);
    await until(
      () => waitingForLocks(database.url),
      (waiting) => waiting === 1,
    );
  });
  expect(await sealing).toBeInstanceOf(UserErased);
  expect(await scopes()).toEqual([]);
});

test('an erasure that waits for a key to be created deletes it', async () => {
  let erasing: Promise<unknown> = Promise.resolve();
  await inDbTransaction(database.db, async (tx) => {
    await createDataKeys(tx, [master]).keyOf(ada);
    erasing = inDbTransaction(database.db, eraseRows);
    await until(
      () => waitingForLocks(database.url),
      (waiting) => waiting === 1,
    );
  });
  await erasing;
  expect(await scopes()).toEqual([]);
});

test('a month of callbacks has a key without a user', async () => {
  await createDataKeys(database.db, [master]).keyOf('webhooks-2026-11');
  expect(await scopes()).toEqual(['webhooks-2026-11']);
});

test.each(['webhooks-2026', 'webhooks-2026-11-01', 'ada', ''])(
  'the scope %j can have no key',
  async (scope) => {
    await expect(async () => createDataKeys(database.db, [master]).keyOf(scope)).rejects.toThrow(Error);
    expect(await scopes()).toEqual([]);
  },
);

test('an erasure removes the key from the memory of every process', async () => {
  const world = await startWorld();
  const person = await signUp(world, { email: 'ada@example.com' });
  const { email_sealed: sealed } = await byTable(world.service.app.db)
    .selectFrom('users')
    .select('email_sealed')
    .where('id', '=', person.userId)
    .executeTakeFirstOrThrow();
  const beside = await createApp(readConfig(world.env), {
    log: watchedLog(),
    // Only the erasing process is six years ahead. This one does not consider the key too old.
    clock: systemClock,
    keysCheckedEveryMs: 50,
  });
  const openThere = () =>
    beside.app.sealer.open(encryptionContexts.email(person.userId, person.userId), sealed ?? Buffer.of());
  expect(await openThere()).toBe('ada@example.com');
  must(await person.api.DELETE('/me'));
  const erase = () => eraseUser(world.service.app, person.userId, { kind: 'operator', id: 'olga' });
  expect(await world.clock.later(SIX_YEARS_MS, erase)).toBe('erased');
  const outcome = await until(
    () =>
      openThere().then(
        () => 'opened',
        (error: Error) => error.message,
      ),
    (seen) => seen !== 'opened',
  );
  expect(outcome).toBe('the data key was destroyed');
  await beside.app.providerConnection.close();
  await beside.closeDatabase();
  await world.stop();
});
