// Compares the migrations of this version with those applied to a database. The service compares their names itself: MikroORM's
// migrator would first discover every entity and load a library that searches for files, which adds 70 ms to the start.
import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Pool } from 'pg';
import { assertBaselineFits } from './baseline.ts';

export const migrationsFolder = fileURLToPath(new URL('../migrations', import.meta.url));
export const migrationsTable = 'schema_migrations';
/** The table that has the oldest version that may serve on this schema. Migrations add rows, and the highest version counts. */
export const floorTable = 'schema_floor';

/**
 * Returns the names of the migrations that are not applied yet.
 * @throws SchemaBeforeBaseline if migrations were applied, but not the baseline.
 */
export async function pendingMigrations(pool: Pool): Promise<string[]> {
  const { rows: tables } = await pool.query<{ migrations: string | null }>(
    `select to_regclass('${migrationsTable}')::text as migrations`,
  );
  if (!tables[0]?.migrations) return ['all of it'];
  const { rows } = await pool.query<{ name: string }>(`select name from ${migrationsTable}`);
  const names = new Set(rows.map(({ name }) => name));
  assertBaselineFits(names);
  const files = (await readdir(migrationsFolder)).filter((file) => file.endsWith('.ts'));
  return files
    .map((file) => basename(file, '.ts'))
    .filter((name) => !names.has(name))
    .toSorted();
}
