// Checks that the schema can be distributed by user (docs/performance.md). A distributed engine such as Citus keeps the rows of one
// user on one server. It needs `user_id` in every key and in every reference between such rows. Exceptions are listed here with
// their reasons.
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { statementsIn } from '../../scripts/statements.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { personalDataMap } from '../../src/tables/personal-data-map.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

/** Tables whose user's rows are not found by `user_id`. */
const withoutUser: Record<string, string> = {
  users: 'its id is the user',
  data_keys: 'its scope is the user, or a month',
  webhook_payloads: "by its callback, as the callback's user is not always known",
};

/** Tables that have `user_id` but are distributed by something else. */
const distributedOtherwise: Record<string, string> = {
  audit_events: 'its chain has one lock, so it stays on one server',
  identity_users: 'by the subject of an identity provider, which it keeps unique over all users',
  webhook_events: "by the callback's identity: its user is kept only while it waits, and not always known",
  provider_object_users: "by the provider's id, which it keeps unique over all users",
};

const owned = Object.entries(personalDataMap)
  .filter(([, mapped]) => 'rows' in mapped)
  .map(([table]) => table);
const distributed = owned.filter((table) => !(table in withoutUser) && !(table in distributedOtherwise));

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

test('every table whose rows belong to users has user_id', async () => {
  const { rows } = await pool.query<{ table: string }>(
    `select table_name as table from information_schema.columns
     where table_schema = 'public' and column_name = 'user_id'`,
  );
  const having = rows.map(({ table }) => table);
  expect(owned.filter((table) => !having.includes(table)).toSorted()).toEqual(
    Object.keys(withoutUser).toSorted(),
  );
  // No other table has it, so no table of users' rows is missing from the map.
  expect(having.toSorted()).toEqual([...distributed, ...Object.keys(distributedOtherwise)].toSorted());
});

test('user_id is never null, except in tables whose rows may belong to no user', async () => {
  const { rows } = await pool.query<{ table: string }>(
    `select table_name as table from information_schema.columns
     where table_schema = 'public' and column_name = 'user_id' and is_nullable = 'YES' order by 1`,
  );
  expect(rows).toEqual([{ table: 'audit_events' }, { table: 'webhook_events' }]);
});

test('every primary and unique key contains the user', async () => {
  const { rows } = await pool.query<{ key: string }>(
    `select format('%s (%s)', indrelid::regclass, string_agg(attname, ', ' order by position)) as key
     from pg_index, unnest(indkey) with ordinality as part (number, position), pg_attribute
     where indisunique and attrelid = indrelid and attnum = part.number and indrelid::regclass::text = any($1)
     group by indexrelid, indrelid
     having not bool_or(attname = case indrelid::regclass::text when 'users' then 'id' else 'user_id' end)
     order by 1`,
    [[...distributed, 'users']],
  );
  expect(rows.map(({ key }) => key)).toEqual([]);
});

test('every reference between rows of users contains user_id', async () => {
  const { rows } = await pool.query<{ reference: string }>(
    `select format('%s (%s) -> %s', conrelid::regclass, string_agg(attname, ', ' order by position), confrelid::regclass) as reference
     from pg_constraint, unnest(conkey) with ordinality as part (number, position), pg_attribute
     where contype = 'f' and attrelid = conrelid and attnum = part.number
       and conrelid::regclass::text = any($1) and confrelid::regclass::text = any($1)
     group by pg_constraint.oid, conrelid, confrelid
     having not bool_or(attname = 'user_id')
     order by 1`,
    [owned],
  );
  expect(rows).toEqual([]);
});

/** Conditions and inserts by which a distributed engine finds the server of a user's row. */
const namesUser =
  /\buser_id"?\s*(=|in\b)|insert into|users"?\."?id"? = |(from|update) "?users"? .*where "?id"? = \$/i;

/** Tables and files of src/tables/ with statements that name no user, and the form of these statements on several servers. */
const formOnSeveralServers: Record<string, string> = {
  'ages.ts': 'one answer from each server; the metric is their sum or maximum',
  'audit-events.ts': 'unchanged: the table stays on one server',
  'backlog.ts': 'one answer from each server; the metric is their sum or maximum',
  'bank-details.ts': 'a page from each server, with a cursor for each',
  'data-keys.ts': 'unchanged for one scope; the rotation of the master key takes a page from each server',
  'data-requests.ts': 'and user_id = $2: the caller has read the row before',
  'discrepancies.ts': 'and user_id = $2: the caller has read the row before',
  'effects.ts': 'and user_id = $2: the caller has read the row before',
  'identity-users.ts': 'unchanged: the statement names the key by which the table is distributed',
  'lifecycles.ts': 'a page from each server, with a cursor for each',
  'ops/': 'one answer from each server, merged; rare',
  'payment-waits.ts': 'one answer from each server; the waits are the longest of all',
  'personal-data-map.ts': 'and user_id = $2; callbacks by their identity',
  'pix-lookups.ts': 'the nightly page is deleted on each server',
  'pix-payments.ts': 'and user_id = $2: the caller has read the row before',
  'provider-accounts.ts':
    'an index read on every server, at most four for each callback; then the user is known',
  'provider-object-users.ts': 'unchanged: the statement names the key by which the table is distributed',
  'provider-resources.ts':
    'an index read on every server, at most four for each callback; then the user is known',
  'transactions.ts': 'an index read on every server, at most four for each callback; then the user is known',
  'unversioned-values.ts': 'a page from each server, with a cursor for each',
  'users.ts': 'a page from each server, with a cursor for each',
  'webhook-events.ts': 'unchanged: the statement names the key by which the table is distributed',
  'webhook-payloads.ts':
    'the same statements on each server; a kept payload moves to the server of its callback',
  'work.ts': 'the same statement, sent to one server by the workers of that server',
};

test('every file of statements about users that name no user has a form on several servers', async () => {
  const userTable = new RegExp(`\\b(from|join|update|into) "?(${owned.join('|')})\\b`, 'i');
  const statements = (await statementsIn()).map(({ name, file, text }) => ({
    name,
    file: file
      .replace('src/tables/', '')
      .replace('/statements.ts', '.ts')
      .replace(/.*\/work\.ts/, 'work.ts')
      .replace(/^ops\/.*/, 'ops/'),
    text: text.replaceAll(/\s+/g, ' '),
  }));
  const without = statements.filter(({ text }) => userTable.test(text) && !namesUser.test(text));
  const files = [...new Set(without.map(({ file }) => file))];
  expect(files.toSorted()).toEqual(Object.keys(formOnSeveralServers));
});
