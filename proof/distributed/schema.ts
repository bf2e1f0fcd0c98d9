// The tables of a run on a cluster.
import { migrateDatabase, query } from '../../harness/database/query.ts';
import { migrationDeadlines } from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { createOrm, dbOf } from '../../src/tables/orm.ts';
import { distribute } from '../../src/tables/schema/distribute.ts';

/** @throws Error if the database has tables, because they may be somebody's. */
export async function assertEmpty(url: string): Promise<void> {
  const [tables] = await query<{ many: number }>(
    url,
    `select count(*)::int as many from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  if (tables?.many) throw new Error(`the database has ${tables.many} tables: name an empty one`);
}

/** Creates the tables and gives each its place. @returns how many tables there are. */
export async function createTables(url: string): Promise<number> {
  await migrateDatabase(url);
  const orm = await createOrm(createPool(url, 1, migrationDeadlines));
  try {
    return (await distribute(dbOf(orm))).length;
  } finally {
    await orm.close(true);
  }
}

/** Drops every table of this project, and whatever else the schema has. */
export async function dropTables(url: string): Promise<void> {
  await query(url, 'drop schema public cascade');
  await query(url, 'create schema public');
}

/** Describes the engine. @throws Error if the server has no Citus. */
export async function versionsOf(url: string): Promise<string> {
  const [row] = await query<{ citus: string; postgres: string; workers: number }>(
    url,
    `select extversion as citus, current_setting('server_version') as postgres,
       (select count(*)::int from citus_get_active_worker_nodes()) as workers
     from pg_extension where extname = 'citus'`,
  );
  if (row === undefined) throw new Error('the database has no extension citus');
  return `Citus ${row.citus}, PostgreSQL ${row.postgres}, ${row.workers} workers`;
}
