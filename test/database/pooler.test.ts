// DATABASE_POOLER=transaction: a pooler is between the service and PostgreSQL. Nothing that the service does depends on the session
// that it had before.
import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  type Deadlines,
  noDeadlines,
  roleSettings,
  servingDeadlines,
} from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { isDatabaseUnreachable } from '../../src/platform/database/unreachable.ts';
import { readConfig } from '../../src/start/config.ts';
import { setRoleDeadlines } from '../../src/tables/schema/role-deadlines.ts';
import { goodEnv } from '../start/process/good-env.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { capturedAt } from '../support/leak-watch.ts';
import { pay, quote, reaches, verified, withdraw } from '../support/person.ts';
import { sourcesIn } from '../support/sources.ts';
import { startTransactionPooler, type TransactionPooler } from '../support/transaction-pooler.ts';
import { until } from '../support/until.ts';
import { startWorld, type World } from '../support/world.ts';

const ROLE = `pooled_${randomBytes(4).toString('hex')}`;
const PASSWORD = randomBytes(12).toString('hex');
/** Deadlines that give up a connection when an answer takes a second longer. */
const short: Deadlines = { ...servingDeadlines, statementMs: 1_000 };

let database: TestDatabase;
let pooler: TransactionPooler;
let owner: Pool;
const pools: Pool[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  pooler = await startTransactionPooler(database.url);
  owner = createPool(database.url, 2, noDeadlines);
  await owner.query(`create role ${ROLE} login password '${PASSWORD}'`);
});
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.end()));
});
afterAll(async () => {
  await owner.query(`drop owned by ${ROLE}`);
  await owner.query(`drop role ${ROLE}`);
  await owner.end();
  await pooler.close();
  await database.drop();
});

function poolOf(url: string, deadlines = servingDeadlines): Pool {
  const pool = createPool(url, 2, deadlines, { pooler: 'transaction' });
  pools.push(pool);
  return pool;
}
const asRole = (): string =>
  Object.assign(new URL(database.url), { username: ROLE, password: PASSWORD }).href;

test('DATABASE_POOLER is none by default and accepts only none and transaction', () => {
  const env = goodEnv(database.url);
  expect(readConfig(env).databaseBehind.pooler).toBe('none');
  expect(readConfig({ ...env, DATABASE_POOLER: 'transaction' }).databaseBehind.pooler).toBe('transaction');
  expect(() => readConfig({ ...env, DATABASE_POOLER: 'session' })).toThrow(
    'DATABASE_POOLER must be one of none, transaction',
  );
});

test('a connection behind a pooler sends no options and prepares nothing', async () => {
  const pool = poolOf(database.url);
  for (const n of [1, 2]) await pool.query('select $1::int', [n]);
  const { rows } = await pool.query(
    `select current_setting('plan_cache_mode') as plans, (select count(*)::int from pg_prepared_statements) as prepared`,
  );
  expect(rows).toEqual([{ plans: 'auto', prepared: 0 }]);
});

test('a connection behind a pooler gets a new session for each transaction, and keeps it during the transaction', async () => {
  const client = await poolOf(pooler.url).connect();
  const pidOf = async () =>
    (await client.query<{ pid: number }>('select pg_backend_pid() + $1::int as pid', [0])).rows[0]?.pid;
  expect(await pidOf()).not.toBe(await pidOf());
  void client.query('begin');
  expect(await pidOf()).toBe(await pidOf());
  await client.query('commit');
  client.release();
});

test('a pooler refuses a connection without this setting', async () => {
  const pool = createPool(pooler.url, 1);
  await expect(pool.query('select 1')).rejects.toSatisfy(isDatabaseUnreachable);
  await pool.end();
  expect(pooler.refused.splice(0)).toEqual([expect.stringContaining('statement_timeout')]);
});

async function settingsOfRole(): Promise<string[]> {
  const { rows } = await poolOf(asRole()).query<{ setting: string }>(
    'select setting from pg_settings where name = any($1) order by name',
    [Object.keys(roleSettings)],
  );
  return rows.map(({ setting }) => setting);
}

test('the deadlines are settings of the role, which the migration makes', async () => {
  expect(await settingsOfRole()).toEqual(['0', '0', '0', '0']);
  for (let time = 0; time < 2; time += 1) expect(await setRoleDeadlines(owner, ROLE)).toBeNull();
  expect(await settingsOfRole()).toEqual(['1000', '5000', '5000', '60000']);
});

test('the migration asks an administrator to set the deadlines if the owner may not', async () => {
  const plain = createPool(asRole(), 1);
  expect(await setRoleDeadlines(plain, new URL(database.url).username)).toMatch(
    /^alter role "ponte" in database "test_\w+" set statement_timeout = '60000ms';\n/,
  );
  await plain.end();
});

test('a statement past the deadline of the client closes its connection, and the server ends it soon after', async () => {
  const pool = poolOf(asRole(), short);
  await expect(pool.query('select pg_sleep(59)')).rejects.toSatisfy(isDatabaseUnreachable);
  await until(
    () =>
      owner.query(`select from pg_stat_activity where query like '%pg_sleep(59)%' and usename = $1`, [ROLE]),
    ({ rowCount }) => rowCount === 0,
  );
});

describe('the service behind a pooler', () => {
  let world: World;
  let own: TestDatabase;
  let pooled: TransactionPooler;

  beforeAll(async () => {
    own = await createTestDatabase();
    pooled = await startTransactionPooler(own.url);
    world = await startWorld({ env: { DATABASE_URL: pooled.url, DATABASE_POOLER: 'transaction' } });
  });
  afterAll(async () => {
    await world.stop();
    await pooled.close();
    await own.drop();
  });

  test('a user can sign up, pay, withdraw and see the balance through a pooler', async () => {
    const ada = await verified(world, { deposit: '100.00' });
    const id = await pay(ada, await quote(ada, 20));
    await reaches(ada, id, 'completed');
    await withdraw(ada, 1_000);
    await until(ada.ponte.me, ({ balance }) => (balance?.amount ?? 10_000) < 9_000);
    expect(pooled.refused).toEqual([]);
    expect(pooled.transactions()).toBeGreaterThan(50);
  });

  test('the service warns at its start if the role has no deadlines', () => {
    expect(capturedAt('the log')).toContain('"code":"database.no_deadlines"');
  });
});

// Migrations bypass the pooler and run as the owner.
const sources = sourcesIn('src').filter(({ file }) => !file.startsWith('src/tables/migrations/'));
const ofSessions: [string, RegExp, string][] = [
  ['a lock of the session', /\bpg_(try_)?advisory_lock(_shared)?\((?!%)/, 'select pg_try_advisory_lock(1)'],
  ['a listener', /[`'"]\s*(un)?listen\s+["\w$*]/i, "'LISTEN work'"],
  [
    'a setting beyond the transaction',
    /[`'";]\s*set\s+(?!local\b|transaction\b)(session\s+)?[\w.]+\s*(=|\bto\b)/i,
    '`set role to x`',
  ],
  [
    'a setting beyond the transaction by a function',
    /set_config\([^)]*,\s*false\s*\)/,
    `set_config('a', 'b', false)`,
  ],
  ['a temporary table', /create\s+((global|local)\s+)?temp(orary)?\s+(table|view)/i, 'create temp table x'],
  ['a cursor that outlives its transaction', /\bwith\s+hold\b/i, 'declare c cursor with hold'],
  ['a prepared statement of SQL', /[`'"]\s*(prepare|deallocate|discard)\s+\w/i, "'prepare x as select'"],
  ['a named statement', /\bname,\s*text\b/, '{ name, text, values }'],
];
/** Behind a pooler the service sends no names and does not listen, and it does not migrate. */
const excepted = new Set([
  'src/platform/database/statement-names.ts: name, text',
  'src/tables/processes/statements.ts: `listen $',
  'src/tables/schema/schema.ts: pg_try_advisory_lock(',
]);

test.each(ofSessions)('the sources never use %s', (_what, pattern, example) => {
  expect(example).toMatch(pattern);
  const found = sources.flatMap(({ file, code }) => {
    const [words] = pattern.exec(code) ?? [];
    return words === undefined ? [] : [`${file}: ${words}`];
  });
  expect(found.filter((one) => !excepted.has(one))).toEqual([]);
});
