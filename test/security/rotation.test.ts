// The rotation to a new master key. Every data key is rewrapped while services run, and afterwards the former master key is not
// needed.
import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createPool } from '../../src/platform/database/pool.ts';
import type { MasterKey } from '../../src/security/data-keys.ts';
import { createDataKeys, dataKeyContext } from '../../src/security/data-keys.ts';
import { encryptionContexts } from '../../src/security/encryption-contexts.ts';
import { sealWith } from '../../src/security/envelope.ts';
import { MasterKeyMissing, rewrapDataKeys } from '../../src/security/rewrap.ts';
import { createSealer } from '../../src/security/sealer.ts';
import { readConfig } from '../../src/start/config.ts';
import { countKeysByMaster } from '../../src/tables/data-keys/statements.ts';
import { createOrm, type Db, dbOf, type Orm } from '../../src/tables/orm.ts';
import { opsAside } from '../ops/support.ts';
import { insertUser } from '../support/bare-users.ts';
import { byTable } from '../support/by-table.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { everythingIn } from '../support/dump.ts';
import { balanceOf, must, pay, quote, reaches, signUp, verified } from '../support/person.ts';
import { startWatchedService } from '../support/watched-service.ts';
import { makeVera, vera } from '../support/whole-person.ts';
import { startWorld, type World } from '../support/world.ts';

const masterKey = (id: string): MasterKey => ({ id, key: randomBytes(32) });

describe('rewrapping data keys', () => {
  const sent = vi.spyOn(Client.prototype, 'query');
  const [older, old, fresh] = [masterKey('older'), masterKey('old'), masterKey('fresh')];
  let database: TestDatabase;
  let orm: Orm;
  let db: Db;

  beforeAll(async () => {
    database = await createTestDatabase();
    orm = await createOrm(createPool(database.url, 6));
    db = dbOf(orm);
  });
  afterAll(async () => {
    sent.mockRestore();
    await orm.close(true);
    await database.drop();
  });

  /** Inserts a data key for each of this many users. @returns the users' ids. */
  async function withKeys(master: MasterKey, count: number): Promise<string[]> {
    const scopes = Array.from({ length: count }, () => randomUUID());
    const wrapped = scopes.map((scope) => sealWith(master.key, dataKeyContext(scope), randomBytes(32)));
    await sql`
      insert into data_keys (scope, master_key_id, wrapped_key, created_at)
      select scope, ${master.id}, wrapped, now()
      from unnest(${scopes}::text[], ${wrapped}::bytea[]) as fresh (scope, wrapped)
    `.execute(db);
    return scopes;
  }
  const sealer = (...masterKeys: MasterKey[]) => createSealer(createDataKeys(db, masterKeys));
  const counted = async () =>
    Object.fromEntries(
      (await countKeysByMaster(db, {})).map(({ masterKeyId, dataKeys }) => [masterKeyId, dataKeys]),
    );

  test('rewrapping reads the keys of 5,000 users once, in pages of a thousand that each continue behind the last', async () => {
    const scopes = (await withKeys(old, 5_000)).toSorted();
    sent.mockClear();
    const progress: number[] = [];
    const rewrapped = await rewrapDataKeys(db, [fresh, old], { onProgress: (count) => progress.push(count) });
    const pages = (sent.mock.calls as unknown as [{ text?: string; values?: unknown[] }][])
      .filter(([{ text }]) => text?.includes('"scope" > $2'))
      .map(([{ values }]) => values?.[1]);
    expect([rewrapped, await counted()]).toEqual([5_000, { fresh: 5_000 }]);
    // A page that began at the start again would pass the dead entries of all pages before it.
    const lastOfEach = [999, 1_999, 2_999, 3_999, 4_999].map((at) => scopes[at]);
    expect(pages).toEqual(['', ...lastOfEach, '']);
    expect(progress).toEqual([1_000, 2_000, 3_000, 4_000, 5_000, 5_000, 5_000]);
    expect(await rewrapDataKeys(db, [fresh, old])).toBe(0);
  });

  test('rewrapping changes no data key: earlier values still open, even in a process that had the key in memory', async () => {
    const userId = await insertUser(db);
    const context = encryptionContexts.email(userId, userId);
    const running = sealer(old, fresh);
    const sealed = await running.seal(context, 'ada@example.com');
    await rewrapDataKeys(db, [fresh, old]);
    expect(await running.open(context, await running.seal(context, 'later'))).toBe('later');
    expect(await sealer(fresh).open(context, sealed)).toBe('ada@example.com');
    await expect(sealer(old).open(context, sealed)).rejects.toThrow('fresh');
  });

  test('rewrapping continues where it was interrupted, and concurrent calls share the work', async () => {
    await withKeys(old, 2_500);
    await withKeys(older, 1_500);
    const stopped = new AbortController();
    const some = await rewrapDataKeys(db, [fresh, old, older], {
      onProgress: () => stopped.abort(),
      signal: stopped.signal,
    });
    expect(some).toBe(1_000);
    const rest = await Promise.all(Array.from({ length: 3 }, () => rewrapDataKeys(db, [fresh, old, older])));
    expect(some + rest.reduce((sum, count) => sum + count, 0)).toBe(4_000);
    expect(Object.keys(await counted())).toEqual(['fresh']);
  });

  test('rewrapping begins nothing while a required master key is not configured', async () => {
    await withKeys(old, 10);
    const [userId = ''] = await withKeys(older, 1);
    await expect(rewrapDataKeys(db, [fresh, old])).rejects.toEqual(new MasterKeyMissing(['older']));
    expect(await counted()).toMatchObject({ old: 10, older: 1 });
    await byTable(db).deleteFrom('data_keys').where('scope', '=', userId).execute();
  });

  test('rewrapping stops at a wrapped key that was tampered with, and changes nothing of its page', async () => {
    await sql`update data_keys set wrapped_key = set_byte(wrapped_key, 20, get_byte(wrapped_key, 20) # 1)
      where scope = (select min(scope) from data_keys where master_key_id = 'old')`.execute(db);
    await expect(rewrapDataKeys(db, [fresh, old])).rejects.toThrow(Error);
    expect(await counted()).toMatchObject({ old: 10 });
  });
});

const keyText = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;

describe('step two of the rotation', () => {
  const [old, fresh] = [keyText('old'), keyText('fresh')];
  const stepTwo = `${fresh},${old}`;
  let world: World;

  beforeAll(async () => {
    world = await startWorld({
      env: { PII_ENCRYPTION_KEY: `${old},${fresh}`, USDC_ACCOUNTS_ENABLED: 'true' },
    });
  });
  afterAll(() => world.stop());

  test('after step two every value opens in a process of step one, and after a roll-back of the image', async () => {
    await makeVera(world);
    const second = { ...world.env, PORT: '0', PII_ENCRYPTION_KEY: stepTwo };
    const restarted = await startWatchedService(second, world.clock);
    const ada = await verified({ ...world, url: restarted.url ?? '' }, { deposit: '50.00' });
    await reaches(ada, await pay(ada, await quote(ada, 20)), 'completed');
    const { rows } = await sql<{ id: string }>`
      select distinct master_key_id as id from data_keys order by id
    `.execute(restarted.app.db);
    expect(rows).toEqual([{ id: 'fresh' }, { id: 'old' }]);

    const ofStepOne = await everythingIn(world.service.app.db, world.service.app.sealer);
    await restarted.stop();
    // Another image with the Secret of step two. The overlays' test shows that a roll-back changes the image alone.
    const rolledBack = await startWatchedService(second, world.clock);
    const { db, sealer } = rolledBack.app;
    for (const text of [ofStepOne, await everythingIn(db, sealer)])
      for (const value of [vera.iban, vera.pixKey, vera.realEmail, vera.notes, 'ada@example.com'])
        expect([value, text.includes(value)]).toEqual([value, true]);

    // A roll-back that also brought the former Secret back would lose what step two has sealed.
    const former = createSealer(
      createDataKeys(db, readConfig({ ...second, PII_ENCRYPTION_KEY: old }).masterKeys),
    );
    await expect(everythingIn(db, former)).rejects.toThrow('fresh');
    await rolledBack.stop();
  });
});

describe('a service under load', () => {
  const [old, fresh] = [keyText('old'), keyText('fresh')];
  let world: World;

  beforeAll(async () => {
    world = await startWorld({ env: { PII_ENCRYPTION_KEY: `${old},${fresh}` } });
  });
  afterAll(() => world.stop());

  test('a service under load does not notice a rotation, and works without the former key', async () => {
    const people = [
      await verified(world, { deposit: '500.00' }),
      await verified(world, { deposit: '500.00' }),
    ];
    let isRotated = false;
    const load = Promise.all(
      people.map(async (person) => {
        const payments: string[] = [];
        for (let turn = 0; turn < 3 || !isRotated; turn += 1) {
          payments.push(await pay(person, await quote(person, 5)));
          await signUp(world);
        }
        for (const id of payments) await reaches(person, id, 'completed');
        return payments.length;
      }),
    );
    // The command runs with the environment of the first service that was restarted with the new key in front.
    const rotating = { ...world, env: { ...world.env, PII_ENCRYPTION_KEY: `${fresh},${old}` } };
    const why = ['--reason', 'yearly rotation'];
    const said = await opsAside(rotating, 'keys', 'rotate', ...why);
    expect(said).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Done\. \d+ data keys are wrapped by fresh/),
    });
    isRotated = true;
    for (const made of await load) expect(made).toBeGreaterThanOrEqual(3);

    // The other services, restarted one by one, no longer wrap anything by the old key. A last call rewraps the keys that they made
    // before.
    await world.service.stop();
    expect(await opsAside(rotating, 'keys', 'rotate', ...why)).toMatchObject({ code: 0 });
    expect((await opsAside(rotating, 'keys', 'status')).out).toMatch(/^old +0 +may be taken out$/m);

    const service = await startWatchedService({ ...world.env, PII_ENCRYPTION_KEY: fresh }, world.clock);
    for (const person of people) {
      expect(must(await person.api.GET('/me')).user.email).toBe('ada@example.com');
      expect(must(await person.api.GET('/pix/payments'))[0]?.pixKey).toBe('52998224725');
      await reaches(person, await pay(person, await quote(person, 5)), 'completed');
      expect(await balanceOf(person)).toBeGreaterThan(0);
    }
    await service.stop();
    const alone = { ...world, env: { ...world.env, PII_ENCRYPTION_KEY: old } };
    expect(await opsAside(alone, 'keys', 'rotate', ...why)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/wrapped by fresh, which PII_ENCRYPTION_KEY does not hold/),
    });
    expect((await opsAside(alone, 'keys', 'status')).out).toMatch(/^fresh +\d+ +missing/m);
  });
});
