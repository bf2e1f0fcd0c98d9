// Entities, migrations and the database that they make must be one and the same.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOrm, type Orm } from '../../src/database/orm.ts';
import { createPool } from '../../src/database/pool.ts';
import { CAPTURE_TRIGGERS } from '../support/capture-triggers.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let orm: Orm;

beforeAll(async () => {
  database = await createTestDatabase();
  const pool = createPool(database.url, 2);
  await pool.query(`drop schema ${CAPTURE_TRIGGERS} cascade`);
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

it('a new database is empty: no user, no secret, no other row', async () => {
  const db = orm.em.getKysely();
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'schema_migrations'
  `.execute(db);
  expect(tables.map(({ name }) => name)).toContain('users');
  for (const { name } of tables) {
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(db);
    expect([name, rows]).toEqual([name, []]);
  }
});

it('every migration has been applied, and applying them again changes nothing', async () => {
  expect(await orm.migrator.getPending()).toEqual([]);
  expect(await orm.migrator.up()).toEqual([]);
});
