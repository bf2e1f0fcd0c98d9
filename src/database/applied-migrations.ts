// The migrations that this version has and those that a database has. The service compares their names itself: MikroORM's migrator
// would first discover every entity and load a library that searches for files, which takes 70 ms of a start.
import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Pool } from 'pg';

export const migrationsFolder = fileURLToPath(new URL('../migrations', import.meta.url));
/** Has the name of each migration that was applied. */
export const migrationsTable = 'schema_migrations';
/** Has the oldest version that may serve on this schema: the highest of its rows. Migrations add them. */
export const floorTable = 'schema_floor';

/** @returns the names of what was not applied yet. */
export async function pendingMigrations(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ migrations: string | null }>(
    `select to_regclass('${migrationsTable}')::text as migrations`,
  );
  if (!rows[0]?.migrations) return ['all of it'];
  const { rows: applied } = await pool.query<{ name: string }>(`select name from ${migrationsTable}`);
  const names = new Set(applied.map(({ name }) => name));
  const files = (await readdir(migrationsFolder)).filter((file) => file.endsWith('.ts'));
  return files
    .map((file) => basename(file, '.ts'))
    .filter((name) => !names.has(name))
    .toSorted();
}
