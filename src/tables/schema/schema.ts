// Migrates the schema of the database. The service refuses to start on a schema that lacks migrations of this version, or whose
// migrations exclude this version.
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Pool } from 'pg';
import { isLockRefused, isToRunAgain } from '../../platform/database/db-transaction.ts';
import { dbOf, type Orm } from '../orm.ts';
import { floorTable, pendingMigrations } from './applied-migrations.ts';
import { assertBaselineFits } from './baseline.ts';
import { DROP_SUPPORT_VIEWS } from './support-views.ts';

/** The pause before a migration is retried. Requests that waited behind the migration are answered in this time. */
const RETRY_AFTER_MS = 1_000;
/**
 * The maximum number of tries of one migration: three minutes, if each waits two seconds for a lock
 * and one second for the next try.
 */
const MAX_TRIES = 60;

/** The key of the advisory lock of migrations. */
const MIGRATING = 7_215_409;

/** Called before a migration is retried. @param next the number of the next try. */
export type Retrying = (next: number, maxTries: number) => void;

/**
 * Applies every missing migration, each in its own transaction. It is safe to repeat, also at the same moment. If a migration does not
 * get a lock within the pool's `lock_timeout`, it releases its locks and is retried. The pool needs two connections. The views of support
 * are gone afterwards: `grantToRoles` makes them.
 * @returns the names of the migrations that were applied.
 * @throws SchemaBeforeBaseline, and then changes nothing, if migrations were applied, but not the baseline.
 */
export async function migrate(orm: Orm, retrying: Retrying = () => undefined): Promise<string[]> {
  const applied: string[] = [];
  let tries = 1;
  const migrated = ({ name }: { name: string }): void => {
    applied.push(name);
    tries = 1;
  };
  orm.migrator.on('migrated', migrated);
  try {
    for (;;) {
      try {
        await alone(orm, async () => {
          const executed = await orm.migrator.getExecuted();
          assertBaselineFits(new Set(executed.map(({ name }) => name)));
          await sql.raw(DROP_SUPPORT_VIEWS).execute(dbOf(orm));
          await orm.migrator.up();
        });
        return applied;
      } catch (error) {
        if (tries === MAX_TRIES || !isToWaitFor(error)) throw error;
        tries += 1;
        retrying(tries, MAX_TRIES);
        await pause(RETRY_AFTER_MS);
      }
    }
  } finally {
    orm.migrator.off('migrated', migrated);
  }
}

const isToWaitFor = (error: unknown): boolean =>
  error instanceof MigratedElsewhere || isLockRefused(error) || isToRunAgain(error);

/**
 * Runs `work` unless another process migrates this database. The lock is a session's, so it ends with a process that is killed. It is
 * not waited for: `create index concurrently` of its holder would wait for the statement that waits.
 * @throws MigratedElsewhere
 */
const alone = (orm: Orm, work: () => Promise<void>): Promise<void> =>
  dbOf(orm)
    .connection()
    .execute(async (session) => {
      const { rows } = await sql<{ is_alone: boolean }>`
        select pg_try_advisory_lock(${sql.lit(MIGRATING)}) as is_alone`.execute(session);
      if (!rows[0]?.is_alone) throw new MigratedElsewhere();
      try {
        await work();
      } finally {
        await sql`select pg_advisory_unlock(${sql.lit(MIGRATING)})`.execute(session);
      }
    });

class MigratedElsewhere extends Error {
  constructor() {
    super('another process migrates this database');
    this.name = 'MigratedElsewhere';
  }
}

/**
 * Accepts the schema of this version and newer schemas, if their migrations still allow this version (`schema_floor`).
 * @throws SchemaOutdated, SchemaBeforeBaseline, VersionOutdated, or the database's own error if it cannot be reached.
 */
export async function assertSchemaFits(pool: Pool, version: string): Promise<void> {
  const pending = await pendingMigrations(pool);
  if (pending.length > 0) throw new SchemaOutdated(pending);
  const floor = await floorOf(pool);
  if (floor !== null && isOlder(version, floor)) throw new VersionOutdated(version, floor);
}

/** Returns the oldest version that may serve on this schema, or null if every version may. */
async function floorOf(pool: Pool): Promise<string | null> {
  const { rows } = await pool.query<{ version: string }>(`select version from ${floorTable}`);
  return rows.map((row) => row.version).reduce<string | null>(later, null);
}

const later = (one: string | null, other: string): string =>
  one === null || isOlder(one, other) ? other : one;

const isOlder = (one: string, other: string): boolean =>
  one.localeCompare(other, 'en', { numeric: true }) < 0;

export class SchemaOutdated extends Error {
  constructor(pending: string[]) {
    super(
      `The database's schema is older than this version. Missing: ${pending.join(', ')}. Run: npm run db:migrate`,
    );
    this.name = 'SchemaOutdated';
  }
}

export class VersionOutdated extends Error {
  constructor(version: string, floor: string) {
    super(
      `The database's schema is too new for this version (${version}). Deploy version ${floor} or a later one, and run there: npm run serve`,
    );
    this.name = 'VersionOutdated';
  }
}
