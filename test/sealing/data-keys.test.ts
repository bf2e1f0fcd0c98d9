// How long a process holds a data key in its memory: less than an hour, and not beyond the minute in which it was destroyed.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type MasterKey, readConfig } from '../../src/config/config.ts';
import { createOrm, type Db, type Orm } from '../../src/database/orm.ts';
import { createPool } from '../../src/database/pool.ts';
import { erasePerson } from '../../src/privacy/erase-person.ts';
import { createDataKeys } from '../../src/sealing/data-keys.ts';
import { encryptionContexts } from '../../src/sealing/encryption-contexts.ts';
import { createApp } from '../../src/start/create-app.ts';
import { systemClock } from '../../src/time/clock.ts';
import { createTestClock } from '../support/clock.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { watchedLog } from '../support/leak-watch.ts';
import { must, signUp } from '../support/person.ts';
import { until } from '../support/until.ts';
import { startWorld } from '../support/world.ts';

const MINUTE_MS = 60_000;
const SIX_YEARS_MS = 6 * 366 * 24 * 60 * MINUTE_MS;
const master: MasterKey = { id: 'present', key: randomBytes(32) };
let database: TestDatabase;
let orm: Orm;
let db: Db;

beforeAll(async () => {
  database = await createTestDatabase();
  orm = await createOrm(createPool(database.url, 4));
  db = orm.em.getKysely();
});
afterAll(async () => {
  await orm.close(true);
  await database.drop();
});
beforeEach(() => db.deleteFrom('data_keys').execute());

const destroy = (scope: string) => db.deleteFrom('data_keys').where('scope', '=', scope).execute();

it('a key is used from memory for less than an hour', async () => {
  const clock = createTestClock();
  const { keyOf, existingKeyOf } = createDataKeys(db, [master], clock);
  await keyOf('ada');
  await destroy('ada');
  clock.advance(50 * MINUTE_MS);
  await existingKeyOf('ada');
  clock.advance(9 * MINUTE_MS);
  await expect(async () => existingKeyOf('ada')).rejects.toThrow('the data key was destroyed');
});

it('a key that was destroyed by another process is forgotten, and no other one', async () => {
  const [one, other] = [createDataKeys(db, [master]), createDataKeys(db, [master])];
  const bea = await one.keyOf('bea');
  for (const keys of [one, other]) await keys.keyOf('ada');
  await destroy('ada');
  await one.existingKeyOf('ada');
  await one.forgetDestroyed();
  await expect(async () => one.existingKeyOf('ada')).rejects.toThrow('the data key was destroyed');
  expect(one.existingKeyOf('bea')).toBe(bea);
});

describe('an erasure', () => {
  it('takes the key from the memory of every process', async () => {
    const world = await startWorld();
    const ada = await signUp(world, { email: 'ada@example.com' });
    const { email_sealed: sealed } = await world.service.app.db
      .selectFrom('users')
      .select('email_sealed')
      .where('id', '=', ada.userId)
      .executeTakeFirstOrThrow();
    const beside = await createApp(readConfig(world.env), {
      log: watchedLog(),
      // Only the erasing process is six years ahead: here, the key is not too old.
      clock: systemClock,
      keysCheckedEveryMs: 50,
    });
    const openThere = () =>
      beside.app.sealer.open(encryptionContexts.email(ada.userId, ada.userId), sealed ?? Buffer.of());
    expect(await openThere()).toBe('ada@example.com');
    must(await ada.api.DELETE('/me'));
    const erase = () => erasePerson(world.service.app, ada.userId, { kind: 'operator', id: 'olga' });
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
    await beside.app.provider.close();
    await beside.closeDatabase();
    await world.stop();
  });
});
