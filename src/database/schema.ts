// The schema of the database: migrated by one command; the service refuses to start on one older than the code.
import { runMigrations } from 'graphile-worker';
import type { Pool } from 'pg';
import type { Orm } from './orm.ts';

/** Applies every migration that is missing, ours and the queue's. Safe to repeat. */
export async function migrate(orm: Orm, pool: Pool): Promise<string[]> {
  const applied = await orm.migrator.up();
  await runMigrations({ pgPool: pool });
  return applied.map(({ name }) => name);
}

/** @throws SchemaOutdated naming what is missing, or the database's own error when it cannot be reached. */
export async function assertSchemaIsCurrent(orm: Orm, pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ ours: string | null; queue: string | null }>(
    `select to_regclass('schema_migrations')::text as ours, to_regclass('graphile_worker.migrations')::text as queue`,
  );
  const isFresh = !rows[0]?.ours || !rows[0].queue;
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
