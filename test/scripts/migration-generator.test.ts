// The files that `npm run db:create-migration` writes when a type gains a value.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AbstractSqlDriver } from '@mikro-orm/postgresql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MigrationGenerator } from '../../scripts/migration-generator.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { createOrm } from '../../src/tables/orm.ts';

type Diff = Parameters<MigrationGenerator['generate']>[0];

let driver: AbstractSqlDriver;
let stop: () => Promise<void>;

beforeAll(async () => {
  const orm = await createOrm(createPool('postgres://nobody@localhost/never-connected', 1));
  driver = orm.em.getDriver();
  stop = () => orm.close(true);
});
afterAll(() => stop());

/** Returns the text of each file that is written for the difference, in the order in which they are applied. */
async function filesFor(diff: Diff): Promise<string[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'migration-generator-'));
  const { migrations } = driver.config.getAll();
  const options = {
    fileName: (time: string, name?: string) => `M${time}_${name ?? ''}`,
    emit: 'ts',
  } as const;
  await new MigrationGenerator(driver, driver.config.getNamingStrategy(), {
    ...migrations,
    ...options,
  }).generate(diff, folder);
  const names = (await readdir(folder)).toSorted();
  const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')));
  await rm(folder, { recursive: true });
  return texts;
}

test('a new state is added to its type and to the function of the history, and its indexes are rebuilt afterwards', async () => {
  const [first = '', second = '', ...more] = await filesFor({
    up: [
      `alter type "withdraw_state" add value if not exists 'examined' after 'settling';`,
      `drop index "withdraws_unfinished";`,
      `create index "withdraws_unfinished" on "withdraws" ("id") where state in ('settling', 'examined');`,
    ],
    down: [
      `drop index "withdraws_unfinished";`,
      `create index "withdraws_unfinished" on "withdraws" ("id") where state = 'settling';`,
    ],
  });
  expect(more).toEqual([]);
  expect(first).toContain(`alter type "withdraw_state" add value if not exists 'examined'`);
  expect(first).toContain('create or replace function is_state_of');
  expect(first).toContain(`when 'withdraw' then state in ('settling', 'completed', 'failed')`);
  expect(first).toContain('override down(): void');
  expect(first).not.toContain('index');
  expect(second).toContain('extends RebuiltIndexes');
  expect(second).toContain(
    `{ name: 'withdraws_unfinished', on: \`"withdraws" ("id") where state in ('settling', 'examined')\`, formerlyOn: \`"withdraws" ("id") where state = 'settling'\` }`,
  );
});

test('a new type of effect is added to its type and to nothing else', async () => {
  const files = await filesFor({
    up: [`alter type "effect_type" add value if not exists 'startReturn' after 'startPayout';`],
    down: [],
  });
  expect(files).toHaveLength(1);
  expect(files[0]).toContain(`add value if not exists 'startReturn'`);
  expect(files[0]).not.toContain('is_state_of');
});

test('a change without a new value is written as MikroORM writes it', async () => {
  const files = await filesFor({
    up: [`create index "users_email" on "users" ("email");`],
    down: [`drop index "users_email";`],
  });
  expect(files).toHaveLength(1);
  expect(files[0]).toContain('extends Migration');
  expect(files[0]).toContain('this.addSql(`drop index "users_email";`);');
});
