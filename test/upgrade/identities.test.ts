// A callback is stored once, also while version 1.0.0 serves next to this version. That version identifies a callback by hexadecimal
// digits in a column that the next release drops.
import { createHash, randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOrm, type Db, dbOf, type Orm } from '../../src/platform/database/orm.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { insertCallbacks } from '../../src/platform/sql/webhook-events.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import statements from './fixtures/statements/1.0.0.json' with { type: 'json' };

let database: TestDatabase;
let pool: Pool;
let orm: Orm;
let db: Db;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.url, 2);
  orm = await createOrm(pool);
  db = dbOf(orm);
});
afterAll(async () => {
  await orm.close(true);
  await database.drop();
});

const former = statements.find(({ name }) => name === 'insertCallbacks')?.text ?? '';

type Store = (identity: Buffer) => Promise<number>;

const now = new Date();
const storeHere: Store = async (identity) => {
  const stored = await insertCallbacks(db, {
    ids: [randomUUID()],
    providers: ['sandbox'],
    identities: [identity],
    eventTypes: ['card.frozen'],
    payloadsSealed: [Buffer.from('sealed')],
    receivedAt: [now],
    statuses: ['received'],
    outcomes: [null],
    processedAt: [null],
    leasedBy: [null],
    leaseTokens: [0],
    providerRefs: [null],
    handles: [null],
  });
  return stored.length;
};

const storeThere: Store = async (identity) => {
  const values = [
    randomUUID(),
    'sandbox',
    identity.toString('hex'),
    'card.frozen',
    Buffer.from('sealed'),
    now,
  ];
  const more = ['received', null, null, null, 0, null, null];
  const { rows } = await pool.query(
    former,
    [...values, ...more].map((value) => [value]),
  );
  return rows.length;
};

test.each<[string, Store, Store]>([
  ['this version', storeHere, storeHere],
  ['version 1.0.0', storeThere, storeHere],
  ['this version, and is repeated to version 1.0.0', storeHere, storeThere],
])('a callback that was stored by %s is not stored again', async (name, first, second) => {
  const identity = createHash('sha256').update(name).digest();
  expect(await first(identity)).toBe(1);
  expect(await second(identity)).toBe(0);
  const { rows } = await pool.query(
    'select identity, external_id from webhook_events where identity = $1 or external_id = $2',
    [identity, identity.toString('hex')],
  );
  expect(rows).toEqual([{ identity, external_id: identity.toString('hex') }]);
});
