// Checks that every table can be given its place on several servers (docs/performance.md): each of its keys and references contains the
// column by which it is distributed.
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool } from '../../src/platform/database/pool.ts';
import { createOrm, dbOf } from '../../src/tables/orm.ts';
import { personalDataMap } from '../../src/tables/personal-data-map.ts';
import { distribute, NotDistributable, tablesWithPlaces } from '../../src/tables/schema/distribute.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const columnOf = Object.fromEntries(
  tablesWithPlaces.flatMap(({ name, place }) => (typeof place === 'object' ? [[name, place.column]] : [])),
);
const byUser = tablesWithPlaces.filter(
  ({ place }) => typeof place === 'object' && place.column === 'user_id',
);

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.url, 1);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

test('every table has a place', async () => {
  const { rows } = await pool.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
       and relname not in ('schema_migrations', 'schema_floor') order by 1`,
  );
  expect(rows.map(({ name }) => name)).toEqual(tablesWithPlaces.map(({ name }) => name).toSorted());
});

test('rows of users are distributed by user, except where another value must be unique over all users', () => {
  const owned = Object.entries(personalDataMap).flatMap(([table, mapped]) =>
    'rows' in mapped ? [table] : [],
  );
  const others = owned.filter((table) => !byUser.some(({ name }) => name === table));
  expect(others.toSorted()).toEqual([
    // Its chain has one lock.
    'audit_events',
    'data_keys',
    'identity_users',
    'provider_object_users',
    'users',
    // The user of a callback is kept only while it waits, and not always known.
    'webhook_events',
    'webhook_payloads',
  ]);
});

test('user_id is never null in tables that are distributed by it', async () => {
  const { rows } = await pool.query<{ table: string }>(
    `select table_name as table from information_schema.columns
     where table_schema = 'public' and column_name = 'user_id' and is_nullable = 'YES' order by 1`,
  );
  expect(rows).toEqual([{ table: 'audit_events' }, { table: 'webhook_events' }]);
});

test('every primary and unique key contains the column by which its table is distributed', async () => {
  const { rows } = await pool.query<{ table: string; columns: string[] }>(
    `select indrelid::regclass::text as table, array_agg(attname::text order by position) as columns
     from pg_index, unnest(indkey) with ordinality as part (number, position), pg_attribute
     where indisunique and attrelid = indrelid and attnum = part.number and indrelid::regclass::text = any($1)
     group by indexrelid, indrelid`,
    [Object.keys(columnOf)],
  );
  const without = rows.filter(({ table, columns }) => !columns.includes(columnOf[table] ?? ''));
  // The id of a callback derives from both, so this key is redundant. `db:distribute` removes it.
  expect(without).toEqual([{ table: 'webhook_events', columns: ['provider', 'identity'] }]);
});

test('every reference between distributed tables contains the columns of both', async () => {
  const { rows } = await pool.query<{ table: string; to: string; columns: string[]; referred: string[] }>(
    `select conrelid::regclass::text as table, confrelid::regclass::text as to,
       array(select attname::text from unnest(conkey) as part (number) join pg_attribute on attrelid = conrelid and attnum = number) as columns,
       array(select attname::text from unnest(confkey) as part (number) join pg_attribute on attrelid = confrelid and attnum = number) as referred
     from pg_constraint where contype = 'f' and conrelid::regclass::text = any($1)`,
    [Object.keys(columnOf)],
  );
  const apart = rows.filter(
    ({ table, to, columns, referred }) =>
      !columns.includes(columnOf[table] ?? '') || !referred.includes(columnOf[to] ?? ''),
  );
  expect(rows.length).toBeGreaterThan(5);
  expect(apart).toEqual([]);
});

test('a server without Citus is told so, and nothing changes', async () => {
  const orm = await createOrm(createPool(database.url, 1));
  await expect(distribute(dbOf(orm))).rejects.toThrow(NotDistributable);
  await expect(distribute(dbOf(orm))).rejects.toThrow('no extension citus');
  await orm.close(true);
});
