// Entities, migrations and the database that they make must be one and the same.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOrm, type Orm } from '../../src/database/orm.ts';
import { createPool } from '../../src/database/pool.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { EARS } from '../support/ears.ts';

let database: TestDatabase;
let orm: Orm;

beforeAll(async () => {
  database = await createTestDatabase();
  const pool = createPool(database.url, 2);
  await pool.query(`drop schema ${EARS} cascade`);
  orm = await createOrm(pool);
});
afterAll(async () => {
  await orm.close(true);
  await database.drop();
});

it('no migration is missing for what the entities declare', async () => {
  expect(await orm.migrator.checkSchema()).toBe(false);
});

it('the migrated database is what the entities declare', async () => {
  expect(await orm.schema.getUpdateSchemaSQL()).toBe('');
});

it('every migration has been applied, and applying them again changes nothing', async () => {
  expect(await orm.migrator.getPending()).toEqual([]);
  expect(await orm.migrator.up()).toEqual([]);
});
