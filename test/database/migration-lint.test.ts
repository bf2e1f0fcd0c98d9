// New migrations run while the service serves, so they neither lock nor rewrite a table (the rules of src/tables/migrations/README.md).
import { globSync } from 'node:fs';
import path from 'node:path';
import { Migration } from '@mikro-orm/migrations';
import { expect, test } from 'vitest';
import { ConcurrentIndexes } from '../../src/tables/migrations/bases/concurrent-indexes.ts';
import { DroppedIndexes } from '../../src/tables/migrations/bases/dropped-indexes.ts';
import { RebuiltIndexes } from '../../src/tables/migrations/bases/rebuilt-indexes.ts';
import { BASELINE } from '../../src/tables/schema/baseline.ts';
import { ROOT } from '../support/process.ts';
import { lint } from './squawk.ts';

const names = globSync('src/tables/migrations/Migration*.ts', { cwd: ROOT })
  .map((file) => path.basename(file, '.ts'))
  .toSorted();

const load = async (name: string): Promise<new (...args: never[]) => Migration> =>
  (
    (await import(`../../src/tables/migrations/${name}.ts`)) as Record<
      string,
      new (
        ...args: never[]
      ) => Migration
    >
  )[name] as new (
    ...args: never[]
  ) => Migration;

/** The rules that a migration may break, each with the reason why no version is harmed. */
const ALLOWED: Record<string, { rule: string; because: string }[]> = {
  Migration20261126182931: [
    { rule: 'ban-drop-not-null', because: 'a trigger fills the column, so version 1.0.0 never reads null' },
  ],
  Migration20261126185730: [
    { rule: 'ban-drop-column', because: 'the floor is 1.1.0, and that version does not use the column' },
  ],
};

test('migrations after the baseline neither lock nor rewrite a table', async () => {
  expect(names).toContain(BASELINE);
  for (const name of names.filter((one) => one !== BASELINE))
    expect([name, (await lint(await load(name))).map((finding) => finding.split(':')[0])]).toEqual([
      name,
      (ALLOWED[name] ?? []).map(({ rule }) => rule),
    ]);
});

const migrationOf = (sql: string) =>
  class extends Migration {
    override up(): void {
      this.addSql(sql);
    }
  };

test.each([
  ['renaming-column', 'alter table users rename column email to mail'],
  ['changing-column-type', 'alter table users alter column email type varchar(20)'],
  ['adding-not-nullable-field', 'alter table users alter column email set not null'],
  ['constraint-missing-not-valid', 'alter table users add constraint c check (seq > 0)'],
  ['require-concurrent-index-creation', 'create index users_email on users (email)'],
  ['ban-drop-column', 'alter table users drop column email'],
  ['ban-drop-table', 'drop table users'],
])('%s is found in: %s', async (rule, sql) => {
  expect(await lint(migrationOf(sql))).toEqual([`${rule}: ${sql};`]);
});

test.each([
  'alter table users add column note text null',
  'alter table users add constraint c check (seq > 0) not valid',
  'alter table users validate constraint c',
  "alter type effect_type add value 'startReturn'",
])('nothing is found in: %s', async (sql) => {
  expect(await lint(migrationOf(sql))).toEqual([]);
});

test('nothing is found in a migration that builds an index concurrently', async () => {
  class Indexed extends ConcurrentIndexes {
    readonly indexes = [{ name: 'users_email', on: 'users (email)' }];
  }
  expect(await lint(Indexed)).toEqual([]);
});

test('nothing is found in a migration that drops an index concurrently', async () => {
  class Dropped extends DroppedIndexes {
    readonly indexes = [{ name: 'users_email', on: 'users (email)' }];
  }
  expect(await lint(Dropped)).toEqual([]);
});

test('nothing is found in a migration that rebuilds an index', async () => {
  class Rebuilt extends RebuiltIndexes {
    readonly indexes = [
      { name: 'users_email', on: 'users (email) where seq > 0', formerlyOn: 'users (email)' },
    ];
  }
  expect(await lint(Rebuilt)).toEqual([]);
});
