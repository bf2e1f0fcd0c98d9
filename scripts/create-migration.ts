// Writes the migration from the last schema to the one that src/tables/ now declares. It compares the entities
// with the snapshot next to the migrations, so it needs no database.
import { execFileSync } from 'node:child_process';
import { MikroORM } from '@mikro-orm/postgresql';
import { ormOptions } from '../src/tables/orm-options.ts';
import { migrationsFolder } from '../src/tables/schema/applied-migrations.ts';
import { MigrationGenerator } from './migration-generator.ts';

const orm = await MikroORM.init({
  ...ormOptions,
  dbName: 'none',
  migrations: { ...ormOptions.migrations, generator: MigrationGenerator },
});
const { fileName } = await orm.migrator.create();
await orm.close(true);
if (fileName) execFileSync('npx', ['biome', 'check', '--write', migrationsFolder], { stdio: 'ignore' });
console.log(fileName ? `wrote ${fileName}` : 'nothing to do: entities and migrations agree');
