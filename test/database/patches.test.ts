// Checks the patches of pg and Kysely. Each patch names the version that it was written for, and the internals that it uses exist.
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { Kysely, PostgresDialect, sql } from 'kysely';
import type { Pool } from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { settledWithin } from '../../src/platform/concurrency/settled-within.ts';
import { PreparingClient } from '../../src/platform/database/client.ts';
import { connectionOf } from '../../src/platform/database/patches/connection.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { createStatementNames } from '../../src/platform/database/statement-names.ts';
import { sourcesIn } from '../support/sources.ts';
import { useDatabase } from '../support/use-database.ts';

const root = new URL('../../', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8');
const installed = (name: string): string =>
  (JSON.parse(read(`node_modules/${name}/package.json`)) as { version: string }).version;

const CLOSED_WITHIN_MS = 20_000;

const database = useDatabase();
const pools: Pool[] = [];

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.end()));
});

function poolOf(max: number): Pool {
  const pool = createPool(database.url, max);
  pools.push(pool);
  return pool;
}

const patches = sourcesIn('src/platform/database/patches').map(({ file }) => file);

// A new version of the library fails here. Compare the patch with the library's source, test it, and then write the version in
// its header.
test.each(patches)('%s was written for the installed version', (file) => {
  const [, library = '', version] = /\b(pg|Kysely) (\d+\.\d+\.\d+)/.exec(read(file)) ?? [];
  expect([library, version]).toEqual([library, installed(library.toLowerCase())]);
});

test.each(patches.filter((file) => !file.endsWith('/connection.ts')))('%s states its gain', (file) => {
  expect(read(file)).toMatch(/^\/\/ Patches (pg|Kysely) [\s\S]*?\n\/\/ Gain: /);
});

test('the sources patch libraries in src/platform/database/patches only', () => {
  const reaching = sourcesIn('src', 'ops').filter(({ code }) =>
    /\bconnectionOf\(|\bextends (PostgresDriver|Connection)\b/.test(code),
  );
  expect(reaching.every(({ file }) => file.startsWith('src/platform/database/patches/'))).toBe(true);
  expect(reaching.length).toBeGreaterThan(1);
});

test('a client of pg has a connection with a socket, which emits an event for each answer, and itself emits one after the last', async () => {
  const pool = poolOf(1);
  const client = await pool.connect();
  const connection = connectionOf(client as unknown as PreparingClient);
  const told: string[] = [];
  connection.on('readyForQuery', () => told.push('answer'));
  client.on('drain', () => told.push('drain'));
  await Promise.all([client.query('select 1'), client.query('select 2')]);
  client.release();
  expect(connection.stream).toBeInstanceOf(Socket);
  expect(client).toBeInstanceOf(PreparingClient);
  expect(told.toSorted()).toEqual(['answer', 'answer', 'drain']);
});

test('a client of pg sends the queries of one tick in one write, and those of the next tick in another', async () => {
  const pool = poolOf(1);
  const client = await pool.connect();
  const { stream } = connectionOf(client as unknown as PreparingClient);
  const [writes, single] = [vi.spyOn(stream, '_writev'), vi.spyOn(stream, '_write')];
  const count = () => writes.mock.calls.length + single.mock.calls.length;
  await Promise.all([1, 2, 3].map((n) => client.query('select $1::int', [n])));
  expect(count()).toBe(1);
  await client.query('select $1::int', [4]);
  expect(count()).toBe(2);
  client.release();
});

const names = createStatementNames();

test('a statement with values is prepared once, and a statement without values is not prepared', async () => {
  const pool = poolOf(1);
  for (const n of [1, 2]) await pool.query('select $1::int', [n]);
  await pool.query('select 3');
  expect(await prepared(pool)).toEqual([{ name: names.of('select $1::int'), statement: 'select $1::int' }]);
});

test('a statement has one name on every connection of every pool', async () => {
  const [pool, other] = [poolOf(2), poolOf(1)];
  await Promise.all([1, 2].map((n) => pool.query('select $1::int, pg_sleep(0.1)', [n])));
  expect(pool.totalCount).toBe(2);
  const found = await Promise.all([prepared(pool), prepared(pool)]);
  const name = names.of('select $1::int, pg_sleep(0.1)');
  expect(found.flat().map((one) => one.name)).toEqual([name, name]);
  await other.query('select $1::text', ['x']);
  expect(await prepared(other)).toEqual([
    { name: names.of('select $1::text'), statement: 'select $1::text' },
  ]);
});

test('a statement whose result a migration changes runs again under a new name', async () => {
  const pool = poolOf(1);
  await pool.query('create table changing (id int)');
  const select = () => pool.query('select * from changing where $1', [true]);
  await select();
  await pool.query('alter table changing add column name text');
  expect((await select()).fields.map(({ name }) => name)).toEqual(['id', 'name']);
  expect((await prepared(pool)).map(({ name }) => name)).toEqual([
    expect.stringMatching(/^[0-9a-f]{16}_1$/),
    expect.stringMatching(/^[0-9a-f]{16}_2$/),
  ]);
  await pool.query('drop table changing');
});

test('statements that were sent together after a migration run again and get one new name', async () => {
  const pool = poolOf(1);
  await pool.query('create table changing as select 7 as id');
  const client = await pool.connect();
  const select = () => client.query('select * from changing where $1', [true]);
  await select();
  await client.query('alter table changing add column name text');
  const results = await Promise.all([select(), select(), select()]);
  expect(results.flatMap(({ rows }) => rows as object[])).toEqual(
    [1, 2, 3].map(() => ({ id: 7, name: null })),
  );
  client.release();
  expect((await prepared(pool)).map(({ name }) => name)).toEqual([
    expect.stringMatching(/^[0-9a-f]{16}_1$/),
    expect.stringMatching(/^[0-9a-f]{16}_2$/),
  ]);
  await pool.query('drop table changing');
});

test('a statement of a transaction fails after a migration, because the transaction has to begin again', async () => {
  const pool = poolOf(1);
  await pool.query('create table changing (id int)');
  const client = await pool.connect();
  const select = () => client.query('select * from changing where $1', [true]);
  await select();
  await client.query('alter table changing add column name text');
  await client.query('begin');
  await expect(select()).rejects.toMatchObject({ code: '0A000' });
  await client.query('rollback');
  expect((await select()).fields).toHaveLength(2);
  client.release();
  await pool.query('drop table changing');
});

test('a statement is parsed once on each connection', async () => {
  const pool = poolOf(1);
  const client = await pool.connect();
  const received = vi.spyOn(connectionOf(client as unknown as PreparingClient), 'emit');
  const select = () =>
    client.query('select $1::int as n, now() as at, null::text as none, 7::bigint as big', [1]);
  const [first, second] = [await select(), await select()];
  client.release();
  expect(received.mock.calls.filter(([event]) => event === 'parseComplete')).toHaveLength(1);
  expect(second.fields).toEqual(first.fields);
  expect(second.rows).toEqual([{ n: 1, at: expect.any(Date), none: null, big: 7 }]);
});

test('a statement that failed the first time returns its rows when it succeeds', async () => {
  const client = await poolOf(1).connect();
  const divide = (by: number) => client.query('select 6 / $1::int as share', [by]);
  await expect(divide(0)).rejects.toMatchObject({ code: '22012' });
  for (const by of [2, 3]) expect((await divide(by)).rows).toEqual([{ share: 6 / by }]);
  client.release();
});

test('a statement that is sent several times together returns each caller its rows', async () => {
  const client = await poolOf(1).connect();
  const results = await Promise.all(
    [1, 2, 3].map((n) => client.query('select $1::int as n, 0 as zero', [n])),
  );
  client.release();
  expect(results.map(({ rows }) => rows)).toEqual([1, 2, 3].map((n) => [{ n, zero: 0 }]));
});

test('a statement gets no name when there are too many names', () => {
  const few = createStatementNames(2);
  const [a, b] = ['a', 'b'].map((text) => few.of(text));
  expect(few.of('c')).toBeNull();
  expect(few.of('a')).toBe(a);
  few.renew(a ?? '');
  expect(few.of('c')).toMatch(/_2$/);
  // A name of the previous generation renews nothing.
  few.renew(b ?? '');
  expect(few.of('c')).toMatch(/_2$/);
});

test('closing a database while a connection is being opened waits for that connection, but not indefinitely', async () => {
  const pool = createPool(database.url, 1);
  const db = new Kysely({ dialect: new PostgresDialect({ pool }) });
  // The statement may be refused before the database has closed, so its promise needs a handler from the start.
  const statement = settledWithin(CLOSED_WITHIN_MS, sql`select 1`.execute(db));
  while (pool.totalCount === 0) await new Promise(setImmediate);
  expect(await settledWithin(CLOSED_WITHIN_MS, db.destroy())).toBe(true);
  expect(await statement).toBe(true);
  expect(pool.totalCount).toBe(0);
});

const prepared = async (pool: Pool) => {
  const { rows } = await pool.query<{ name: string; statement: string }>(
    'select name, statement from pg_prepared_statements order by name',
  );
  return rows;
};
