// The schema of the database: migrated by one command; the service refuses to start on one older than the code.
import type { Pool } from 'pg';
import { pendingMigrations } from './applied-migrations.ts';
import type { Orm } from './orm.ts';

/** Applies every migration that is missing. Safe to repeat. */
export async function migrate(orm: Orm): Promise<string[]> {
  const applied = await orm.migrator.up();
  return applied.map(({ name }) => name);
}

/** @throws SchemaOutdated naming what is missing, or the database's own error when it cannot be reached. */
export async function assertSchemaIsCurrent(pool: Pool): Promise<void> {
  const pending = await pendingMigrations(pool);
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
