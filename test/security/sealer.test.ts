// Sealed values open only in their own context, with their own key and unmodified.
import { createSecretKey, randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPool } from '../../src/platform/database/pool.ts';
import type { MasterKey } from '../../src/security/data-keys.ts';
import { createDataKeys } from '../../src/security/data-keys.ts';
import { encryptionContexts } from '../../src/security/encryption-contexts.ts';
import { openWith, SealBroken, sealWith } from '../../src/security/envelope.ts';
import { createSealer } from '../../src/security/sealer.ts';
import { createOrm, type Db, dbOf, type Orm } from '../../src/tables/orm.ts';
import { insertUser } from '../support/bare-users.ts';
import { byTable } from '../support/by-table.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const versioned = { table: 'bank_details', column: 'details_sealed', row: 'GBP', scope: 'ada', version: 2 };
const unversioned = { ...versioned, version: null };
const key = randomBytes(32);
const text = Buffer.from('DE89370400440532013000');

describe.each([
  ['with a version', versioned],
  ['without a version', unversioned],
])('an envelope %s', (_form, { version }) => {
  const context = { ...versioned, version };
  const sealed = sealWith(key, context, text);

  test('a sealed value opens to its text, and never has the same bytes twice', () => {
    expect(openWith(key, context, sealed)).toEqual(text);
    expect(sealWith(key, context, text)).not.toEqual(sealed);
    expect(sealed.includes(text)).toBe(false);
  });

  test('a sealed value does not open with any single bit flipped', () => {
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const bent = Buffer.from(sealed);
      bent.writeUInt8(bent.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(() => openWith(key, context, bent)).toThrow(Error);
    }
  });

  test.each([0, 1, 12, 28, sealed.length - 1])(
    'a sealed value does not open when it is cut to %i bytes',
    (length) => {
      expect(() => openWith(key, context, sealed.subarray(0, length))).toThrow(Error);
    },
  );

  test.each([
    ['another table', { ...context, table: 'withdraws' }],
    ['another column', { ...context, column: 'name_sealed' }],
    ['another row', { ...context, row: 'EUR' }],
    ['another user', { ...context, scope: 'bea' }],
    [
      'names that are equal only when joined',
      { ...context, table: 'bank_detail', column: 'sdetails_sealed' },
    ],
  ])('a sealed value does not open in %s', (_what, elsewhere) => {
    expect(() => openWith(key, elsewhere, sealed)).toThrow(Error);
  });

  test('a sealed value does not open with another key', () => {
    expect(() => openWith(randomBytes(32), context, sealed)).toThrow(SealBroken);
  });
});

test('a value opens only in the version of its row that it was sealed in', () => {
  const sealed = sealWith(key, versioned, text);
  for (const version of [0, 1, 3, null])
    expect(() => openWith(key, { ...versioned, version }, sealed)).toThrow(SealBroken);
});

test('a value that was sealed before its row had versions opens in each of them, until that is switched off', () => {
  const sealed = sealWith(key, unversioned, text);
  expect(openWith(key, versioned, sealed)).toEqual(text);
  expect(() => openWith(key, versioned, sealed, { opensUnversioned: false })).toThrow(SealBroken);
  expect(openWith(key, unversioned, sealed, { opensUnversioned: false })).toEqual(text);
});

const sealerOf = (byte: number) => {
  const keyOf = () => createSecretKey(Buffer.alloc(32, byte));
  return createSealer({ keyOf, findKey: keyOf });
};

test('a fingerprint never changes, and differs for each key, purpose and text', async () => {
  const { fingerprint } = sealerOf(7);
  const made = await Promise.all([
    fingerprint('ada', 'idempotency', '[null,[]]'),
    fingerprint('ada', 'idempotency', '[null,[["a",1]]]'),
    fingerprint('ada', 'something else', '[null,[]]'),
    sealerOf(8).fingerprint('ada', 'idempotency', '[null,[]]'),
  ]);
  expect(made[0]?.toString('hex')).toBe('2cf53848cfa99e6bca74b077863aad80193c8e55c132de73019d70aeddb09666');
  expect(new Set(made.map((one) => one.toString('hex'))).size).toBe(4);
});

describe('data keys', () => {
  let database: TestDatabase;
  let pool: Pool;
  let orm: Orm;
  let db: Db;
  const former: MasterKey = { id: 'former', key: randomBytes(32) };
  const present: MasterKey = { id: 'present', key: randomBytes(32) };

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = createPool(database.url, 8);
    orm = await createOrm(pool);
    db = dbOf(orm);
  });
  afterAll(async () => {
    await orm.close(true);
    await database.drop();
  });

  const sealerWith = (masterKeys: MasterKey[]) => createSealer(createDataKeys(db, masterKeys));

  test("an opener opens its own scope's values only", async () => {
    const [ada, bea] = [await insertUser(db), await insertUser(db)];
    const sealer = sealerWith([present]);
    const place = encryptionContexts.pixKey(ada, 'a');
    const sealed = await sealer.seal(place, 'a key');
    await sealer.seal(encryptionContexts.pixKey(bea, 'b'), 'another key');
    expect((await sealer.openerOf(ada))(place, sealed)).toBe('a key');
    const other = await sealer.openerOf(bea);
    expect(() => other(place, sealed)).toThrow('another scope');
  });

  test('an opener whose data key was destroyed opens nothing, although the text is cached', async () => {
    const ada = await insertUser(db);
    const keys = createDataKeys(db, [present]);
    const sealer = createSealer(keys);
    const place = encryptionContexts.pixKey(ada, 'a');
    const sealed = await sealer.seal(place, 'a key');
    expect(await sealer.open(place, sealed)).toBe('a key');
    await byTable(db).deleteFrom('data_keys').where('scope', '=', ada).execute();
    await keys.forgetDestroyed();
    const open = await sealer.openerOf(ada);
    expect(() => open(place, sealed)).toThrow('the data key was destroyed');
  });

  test('each user has one data key, even if many need it concurrently for the first time', async () => {
    const userId = await insertUser(db);
    const sealers = Array.from({ length: 8 }, () => sealerWith([present]));
    const sealed = await Promise.all(
      sealers.map((sealer, row) => sealer.seal(encryptionContexts.pixKey(userId, String(row)), `key ${row}`)),
    );
    const opened = await Promise.all(
      sealed.map((value, row) =>
        sealerWith([present]).open(encryptionContexts.pixKey(userId, String(row)), value),
      ),
    );
    expect(opened).toEqual(sealed.map((_value, row) => `key ${row}`));
    const rows = await byTable(db)
      .selectFrom('data_keys')
      .select('scope')
      .where('scope', '=', userId)
      .execute();
    expect(rows).toHaveLength(1);
  });

  test('a data key is stored only in wrapped form', async () => {
    const { keyOf } = createDataKeys(db, [present]);
    const userId = await insertUser(db);
    const dataKey = await keyOf(userId);
    const { wrapped_key: wrapped } = await byTable(db)
      .selectFrom('data_keys')
      .select('wrapped_key')
      .where('scope', '=', userId)
      .executeTakeFirstOrThrow();
    expect(Buffer.from(wrapped).includes(dataKey.export())).toBe(false);
  });

  test('a data key opens under a former master key as long as that is configured, and the error names a missing one', async () => {
    const userId = await insertUser(db);
    const sealed = await sealerWith([former]).seal(
      encryptionContexts.email(userId, userId),
      'ada@example.com',
    );
    expect(await sealerWith([present, former]).open(encryptionContexts.email(userId, userId), sealed)).toBe(
      'ada@example.com',
    );
    await expect(
      sealerWith([present]).open(encryptionContexts.email(userId, userId), sealed),
    ).rejects.toThrow(/former/);
  });
});
