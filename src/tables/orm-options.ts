// Tells MikroORM about the schema and its migrations, for our commands and its own (mikro-orm.config.ts).
import { Migrator } from '@mikro-orm/migrations';
import { defineConfig } from '@mikro-orm/postgresql';
import { entities } from './entities.ts';
import { floorTable, migrationsFolder, migrationsTable } from './schema/applied-migrations.ts';

export const ormOptions = defineConfig({
  ensureDatabase: false,
  entities: [...entities],
  extensions: [Migrator],
  migrations: {
    path: migrationsFolder,
    snapshotName: '.snapshot',
    // The next migration is generated from the difference between the snapshot and the entities. Applying
    // migrations must not change the snapshot.
    snapshotOnMigrate: false,
    tableName: migrationsTable,
    // Each migration commits separately, so it does not hold the locks of another one.
    allOrNothing: false,
    silent: true,
  },
  // The floor's table, triggers and functions exist only in the baseline and in hand-written migrations.
  schemaGenerator: {
    skipTables: [floorTable],
    ignoreTriggers: true,
    ignoreRoutines: true,
  },
  forceUtcTimezone: true,
});
