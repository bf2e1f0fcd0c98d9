// The configuration at the top of the project is what MikroORM's command line loads: it must describe the service's database.
import { globSync } from 'node:fs';
import path from 'node:path';
import { MikroORM } from '@mikro-orm/postgresql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import config from '../../mikro-orm.config.ts';
import manifest from '../../package.json' with { type: 'json' };
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const folder = path.resolve(import.meta.dirname, '../../src/migrations');
const migrations = globSync('Migration*.ts', { cwd: folder }).map((file) => path.basename(file, '.ts'));

let database: TestDatabase;
let orm: MikroORM;

beforeAll(async () => {
  database = await createTestDatabase();
  orm = await MikroORM.init({ ...config, clientUrl: database.url });
});
afterAll(async () => {
  await orm.close(true);
  await database.drop();
});

it('is where the command line is told to find it', () => {
  expect(manifest['mikro-orm'].configPaths).toEqual(['./mikro-orm.config.ts']);
});

it('lists the migrations that the service applied, and none that is missing', async () => {
  const executed = await orm.migrator.getExecuted();
  expect(executed.map(({ name }) => name)).toEqual(migrations.toSorted());
  expect(await orm.migrator.getPending()).toEqual([]);
});

it('finds entities and migrations in agreement', async () => {
  expect(await orm.migrator.checkSchema()).toBe(false);
});
