// MikroORM's command line loads the configuration in the project's root. It must describe the service's database.
import { globSync } from 'node:fs';
import path from 'node:path';
import { MikroORM } from '@mikro-orm/postgresql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import config from '../../mikro-orm.config.ts';
import manifest from '../../package.json' with { type: 'json' };
import { useDatabase } from '../support/use-database.ts';

const folder = path.resolve(import.meta.dirname, '../../src/tables/migrations');
const migrations = globSync('Migration*.ts', { cwd: folder }).map((file) => path.basename(file, '.ts'));

const database = useDatabase();
let orm: MikroORM;

beforeAll(async () => {
  orm = await MikroORM.init({ ...config, clientUrl: database.url });
});
afterAll(async () => {
  await orm.close(true);
});

test('the configuration is where the command line looks for it', () => {
  expect(manifest['mikro-orm'].configPaths).toEqual(['./mikro-orm.config.ts']);
});

test('the configuration lists the migrations that the service applied, and none is missing', async () => {
  const executed = await orm.migrator.getExecuted();
  expect(executed.map(({ name }) => name)).toEqual(migrations.toSorted());
  expect(await orm.migrator.getPending()).toEqual([]);
});

test('the entities agree with the migrations', async () => {
  expect(await orm.migrator.checkSchema()).toBe(false);
});
