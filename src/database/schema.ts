// The schema of the database: migrated by one command; the service refuses to start on one older than the code.
import type { Pool } from 'pg';
import type { Orm } from './orm.ts';

/** Applies every migration that is missing. Safe to repeat. */
export async function migrate(orm: Orm): Promise<string[]> {
  const applied = await orm.migrator.up();
  return applied.map(({ name }) => name);
}

/** @throws SchemaOutdated naming what is missing, or the database's own error when it cannot be reached. */
export async function assertSchemaIsCurrent(orm: Orm, pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ migrations: string | null }>(
    `select to_regclass('schema_migrations')::text as migrations`,
  );
  const isFresh = !rows[0]?.migrations;
  const pending = isFresh ? ['all of it'] : (await orm.migrator.getPending()).map(({ name }) => name);
  if (pending.length > 0) throw new SchemaOutdated(pending);
}

export class SchemaOutdated extends Error {
  constructor(pending: string[]) {
    super(
      `The database's schema is older than this version. Missing: ${pending.join(', ')}. Run: npm run db:migrate`,
    );
    this.name = 'SchemaOutdated';
  }
}
