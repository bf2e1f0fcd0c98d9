// The schema of the database: migrated by one command. The service refuses to start on one that lacks its migrations, or whose
// migrations exclude this version.
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { version } from '../config/version.ts';
import { floorTable, pendingMigrations } from './applied-migrations.ts';
import type { Orm } from './orm.ts';
import { isToRunAgain, LOCK_NOT_AVAILABLE } from './transaction.ts';

/** Requests that waited behind a migration are answered meanwhile. */
const RETRY_AFTER_MS = 1_000;
/** Of one migration: three minutes, with the two seconds that each waits for a lock. */
const MOST_TRIES = 60;

/** @param next which try of the migration comes now. */
export type Retrying = (next: number, most: number) => void;

/**
 * Applies every migration that is missing, each in a transaction of its own. Safe to repeat. A migration that does not get a lock
 * within the pool's `lock_timeout` releases the locks that it has, and is retried.
 * @returns the names of the migrations that were applied.
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
        await orm.migrator.up();
        return applied;
      } catch (error) {
        if (!isLockRefused(error) || tries === MOST_TRIES) throw error;
        tries += 1;
        retrying(tries, MOST_TRIES);
        await pause(RETRY_AFTER_MS);
      }
    }
  } finally {
    orm.migrator.off('migrated', migrated);
  }
}

const isLockRefused = (error: unknown): boolean =>
  isToRunAgain(error) || (error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE);

/**
 * A schema that is newer than this version is accepted, down to the version that its migrations name (`schema_floor`).
 * @throws SchemaOutdated, VersionOutdated, or the database's own error when it cannot be reached.
 */
export async function assertSchemaFits(pool: Pool): Promise<void> {
  const pending = await pendingMigrations(pool);
  if (pending.length > 0) throw new SchemaOutdated(pending);
  const floor = await floorOf(pool);
  if (floor !== null && isOlder(version, floor)) throw new VersionOutdated(floor);
}

/** @returns the oldest version that may serve on this schema; null where every version may. */
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
  constructor(floor: string) {
    super(
      `The database's schema is too new for this version (${version}). Deploy version ${floor} or a later one, and run there: npm run serve`,
    );
    this.name = 'VersionOutdated';
  }
}
