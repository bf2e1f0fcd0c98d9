// What MikroORM is told of the schema and its migrations, for our commands and its own (mikro-orm.config.ts).
import { Migrator } from '@mikro-orm/migrations';
import { defineConfig } from '@mikro-orm/postgresql';
import { entities } from '../entities/index.ts';
import { floorTable, migrationsFolder, migrationsTable } from './applied-migrations.ts';

export const ormOptions = defineConfig({
  ensureDatabase: false,
  entities: [...entities],
  extensions: [Migrator],
  migrations: {
    path: migrationsFolder,
    snapshotName: '.snapshot',
    // The snapshot is what the next migration is written against: applying migrations does not change it.
    snapshotOnMigrate: false,
    tableName: migrationsTable,
    // Each migration is committed by itself: it holds the locks of no other one.
    allOrNothing: false,
    silent: true,
  },
  // The former queue's tables: Migration20261123010000 drops them, unless they have jobs again. The floor's table, triggers and
  // functions are written by hand, in migrations alone.
  schemaGenerator: {
    ignoreSchema: ['graphile_worker'],
    skipTables: [floorTable],
    ignoreTriggers: true,
    ignoreRoutines: true,
  },
  forceUtcTimezone: true,
});
