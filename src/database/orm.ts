// MikroORM over our own pool: entities and migrations for writing, its Kysely for typed SQL.
import { fileURLToPath } from 'node:url';
import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, MikroORM } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import type { Pool } from 'pg';
import { entities, type Tables } from '../entities/index.ts';
import { createDialect } from './dialect.ts';

export type Db = Kysely<Tables>;

export const ormOptions = defineConfig({
  ensureDatabase: false,
  entities: [...entities],
  extensions: [Migrator],
  migrations: {
    path: fileURLToPath(new URL('../migrations', import.meta.url)),
    snapshotName: '.snapshot',
    // The snapshot is what the next migration is written against: applying migrations does not change it.
    snapshotOnMigrate: false,
    tableName: 'schema_migrations',
    silent: true,
  },
  // The former queue's tables: Migration20261123010000 drops them, unless they have jobs again. Triggers and functions are
  // written by hand, in migrations alone.
  schemaGenerator: { ignoreSchema: ['graphile_worker'], ignoreTriggers: true, ignoreRoutines: true },
  forceUtcTimezone: true,
});

export const createOrm = (pool: Pool) =>
  MikroORM.init({ ...ormOptions, dbName: databaseOf(pool), driverOptions: createDialect(pool) });

export type Orm = Awaited<ReturnType<typeof createOrm>>;

/** Migrations look the database up by name and would create it elsewhere, so the name must be the pool's own. */
const databaseOf = ({ options }: Pool): string =>
  decodeURIComponent(new URL(options.connectionString ?? '').pathname.slice(1)) || 'postgres';
