// Checks that every table can be given its place on several servers (docs/performance.md): each of its keys and references contains the
// column by which it is distributed.
import { sql } from 'kysely';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool } from '../../src/platform/database/pool.ts';
import { createOrm, type Db, dbOf } from '../../src/tables/orm.ts';
import { personalDataMap } from '../../src/tables/personal-data-map.ts';
import {
  assertDistributed,
  distribute,
  NotDistributable,
  tablesWithPlaces,
} from '../../src/tables/schema/distribute.ts';
import { grantToRoles } from '../../src/tables/schema/grants.ts';
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

/** Calls with a connection of its own to the database. */
async function withDb<Result>(url: string, use: (db: Db) => Promise<Result>): Promise<Result> {
  const orm = await createOrm(createPool(url, 1));
  try {
    return await use(dbOf(orm));
  } finally {
    await orm.close(true);
  }
}

test('a server without Citus is told so, and nothing changes', async () => {
  await expect(withDb(database.url, distribute)).rejects.toThrow(
    'This database has no extension citus, so there is nothing to distribute. Nothing was changed.',
  );
});

const places = tablesWithPlaces.map(({ name, place }) => ({
  name,
  type: typeof place === 'object' ? 'distributed' : place === 'reference' ? 'reference' : 'local',
  column: typeof place === 'object' ? place.column : '',
}));
const without = (...names: string[]) => places.filter(({ name }) => !names.includes(name));

type Citus = { version?: string; workers?: number; tables?: typeof places };

/** Makes a database find the catalogue of a Citus that is not there, so that refusals need no cluster. */
async function describeCitus({ version = '14.0-1', workers = 2, tables = [] }: Citus = {}): Promise<string> {
  const described = await createTestDatabase();
  dropped.push(described.drop);
  const name = new URL(described.url).pathname.slice(1);
  const client = createPool(described.url, 1);
  await client.query(`
    create schema described;
    create table described.pg_extension as select 'citus' as extname, '${version}' as extversion;
    create table described.citus_tables (table_name text, citus_table_type text, distribution_column text);
    create function described.citus_get_active_worker_nodes() returns setof int language sql
      return generate_series(1, ${workers});
    alter database ${name} set search_path = described, public, pg_catalog`);
  for (const { name: table, type, column } of tables)
    await client.query('insert into described.citus_tables values ($1, $2, $3)', [table, type, column]);
  await client.end();
  return described.url;
}

const dropped: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const drop of dropped) await drop();
});

test.each<[string, Citus, string]>([
  ['an older Citus', { version: '13.2-1' }, 'Citus 13.2-1 is too old: 14 or newer is needed.'],
  ['no worker', { workers: 0 }, 'The coordinator has no active worker: add one with citus_add_node.'],
  [
    'a table distributed by another column',
    { tables: [{ name: 'users', type: 'distributed', column: 'email' }] },
    'users is distributed by email already, but must be distributed by id.',
  ],
  [
    'a table of users on every server',
    { tables: [{ name: 'withdraws', type: 'reference', column: '' }] },
    'withdraws is on every server already, but must be distributed by user_id.',
  ],
])('%s is refused in a sentence, and nothing changes', async (_what, citus, sentence) => {
  const url = await describeCitus(citus);
  await expect(withDb(url, distribute)).rejects.toThrow(NotDistributable);
  await expect(withDb(url, distribute)).rejects.toThrow(`${sentence} Nothing was changed.`);
});

test('tables are not distributed while a process runs', async () => {
  const url = await describeCitus();
  await withDb(url, (db) =>
    sql`insert into processes (id, name, heartbeat, heartbeat_at, started_at)
      values (gen_random_uuid(), 'api on host 1', 1, now(), now())`.execute(db),
  );
  await expect(withDb(url, distribute)).rejects.toThrow('Processes are running: api on host 1.');
});

test('tables are not distributed while support has views of them, and support gets no views on Citus', async () => {
  const url = await describeCitus();
  await withDb(url, (db) => sql`create schema support`.execute(db));
  await expect(withDb(url, distribute)).rejects.toThrow(
    'run `npm run db:migrate` without DATABASE_SUPPORT_ROLE first',
  );
  const described = createPool(url, 1);
  const roles = { service: undefined, erasure: undefined, operators: 'x', support: 'y' };
  await expect(grantToRoles(described, roles)).rejects.toThrow('support has no views on Citus');
  await described.end();
});

test('the service does not start while tables lack their places, and names them', async () => {
  const url = await describeCitus({ tables: without('withdraws', 'effect_pauses') });
  await expect(withDb(url, assertDistributed)).rejects.toThrow(
    /^These tables lack their places: (withdraws, effect_pauses|effect_pauses, withdraws)\. Run `npm run db:distribute`\.$/,
  );
});

test('the service starts if all tables have their places, and if none has one', async () => {
  for (const tables of [places, []]) {
    const url = await describeCitus({ tables });
    await expect(withDb(url, assertDistributed)).resolves.toBeUndefined();
  }
});

test('tables that all have their places stay', async () => {
  expect(await withDb(await describeCitus({ tables: places }), distribute)).toEqual([]);
});
