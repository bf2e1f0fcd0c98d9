// Reads and prepares databases for the programs around the service.
import { Client, Pool } from 'pg';
import { noDeadlines } from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { createOrm, dbOf } from '../../src/tables/orm.ts';
import { distribute } from '../../src/tables/schema/distribute.ts';
import { migrate } from '../../src/tables/schema/schema.ts';

/** Migrates an empty or earlier database to this checkout's schema. */
export async function migrateDatabase(url: string): Promise<void> {
  const orm = await createOrm(createPool(url, 2, noDeadlines));
  await migrate(orm);
  await orm.close(true);
}

/** Gives every table its place on a coordinator of Citus. @returns how many tables were moved. */
export async function distributeDatabase(url: string): Promise<number> {
  const orm = await createOrm(createPool(url, 1, noDeadlines));
  try {
    return (await distribute(dbOf(orm))).length;
  } finally {
    await orm.close(true);
  }
}

/** Returns the address of another database of the same server. */
export const databaseAt = (serverUrl: string, name: string): string =>
  Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;

/** Runs one statement on a connection of its own. */
export async function query<Row extends object>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** Opens a pool for as long as `use` runs. If the server ends meanwhile, the pool makes another connection for the next query. */
export async function withPool<Result>(url: string, use: (pool: Pool) => Promise<Result>): Promise<Result> {
  const pool = new Pool({ connectionString: url, max: 1 });
  pool.on('error', () => undefined);
  try {
    return await use(pool);
  } finally {
    await pool.end();
  }
}
