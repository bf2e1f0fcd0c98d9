// Entities, migrations and the migrated database must describe the same schema.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noDeadlines } from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { createOrm, dbOf, type Orm } from '../../src/tables/orm.ts';
import { BASELINE } from '../../src/tables/schema/baseline.ts';
import { CAPTURE_TRIGGERS } from '../support/capture-triggers.ts';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/database.ts';

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

test('no migration is missing for the entities', async () => {
  expect(await orm.migrator.checkSchema()).toBe(false);
});

test('the migrated database has the schema that the entities declare', async () => {
  expect(await orm.schema.getUpdateSchemaSQL()).toBe('');
});

test('a new database is empty: it has no user, no secret and no other row', async () => {
  const db = dbOf(orm);
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not in ('schema_migrations', 'schema_floor')
  `.execute(db);
  expect(tables.map(({ name }) => name)).toContain('users');
  for (const { name } of tables) {
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(db);
    expect([name, rows]).toEqual([name, []]);
  }
});

test('every migration has been applied, and applying them again changes nothing', async () => {
  expect(await orm.migrator.getPending()).toEqual([]);
  expect(await orm.migrator.up()).toEqual([]);
});

describe('migrations that are applied by one command each', () => {
  let alone: TestDatabase;
  let migrated: Orm;

  beforeAll(async () => {
    alone = await createEmptyDatabase();
    migrated = await createOrm(createPool(alone.url, 2, noDeadlines));
  });
  afterAll(async () => {
    await migrated.close(true);
    await alone.drop();
  });

  test('migrations that are applied one by one make the same schema as all of them together', async () => {
    for (const { name } of await migrated.migrator.getPending()) await migrated.migrator.up({ to: name });
    expect(await migrated.schema.getUpdateSchemaSQL()).toBe('');
  });

  test('each migration after the baseline can be reverted and applied again', async () => {
    const later = (await migrated.migrator.getExecuted()).slice(1).map(({ name }) => name);
    await migrated.migrator.down({ migrations: later });
    expect((await migrated.migrator.getPending()).map(({ name }) => name)).toEqual(later);
    await migrated.migrator.up();
    expect(await migrated.schema.getUpdateSchemaSQL()).toBe('');
  });

  test('the baseline is not reverted', async () => {
    await expect(migrated.migrator.down({ migrations: [BASELINE] })).rejects.toThrow('cannot be reverted');
    expect(await migrated.migrator.getPending()).toEqual([]);
  });
});
