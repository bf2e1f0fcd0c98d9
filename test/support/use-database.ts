// The database of a test file: it is created before the first test and dropped after the last one.
import type { Pool } from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { type Deadlines, servingDeadlines } from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { createOrm, type Db, dbOf, type Orm } from '../../src/tables/orm.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

/** Gives all tests of the file one database. It is empty until the tests begin. */
export function useDatabase(): TestDatabase {
  const database = {} as TestDatabase;
  beforeAll(async () => {
    Object.assign(database, await createTestDatabase());
  });
  // A database that was not created has already failed the file.
  afterAll(() => database.drop?.());
  return database;
}

type DatabaseWithOrm = TestDatabase & { pool: Pool; orm: Orm; db: Db };

/** Gives all tests of the file one database, with the entities on a pool of so many connections. It is empty until the tests begin. */
export function useOrm(connections = 2, deadlines: Deadlines = servingDeadlines): DatabaseWithOrm {
  const database = useDatabase() as DatabaseWithOrm;
  beforeAll(async () => {
    const pool = createPool(database.url, connections, deadlines);
    const orm = await createOrm(pool);
    Object.assign(database, { pool, orm, db: dbOf(orm) });
  });
  // It runs before the hook that drops the database.
  afterAll(() => database.orm?.close(true));
  return database;
}
