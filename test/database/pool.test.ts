// A pool makes two promises: no query waits indefinitely, and no connection that was given up returns to the pool.
import { Kysely, PostgresDialect, sql } from 'kysely';
import type { ClientBase, Pool } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  COMMIT,
  type DatabaseProxy,
  startDatabaseProxy,
} from '../../harness/database-proxy/database-proxy.ts';
import { CommitUnanswered, inDbTransaction } from '../../src/platform/database/db-transaction.ts';
import {
  batchDeadlines,
  type Deadlines,
  noDeadlines,
  servingDeadlines,
} from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { refuseServerInRecovery, ServerReadOnly } from '../../src/platform/database/read-only-server.ts';
import { isDatabaseUnreachable } from '../../src/platform/database/unreachable.ts';
import { until } from '../support/until.ts';
import { useDatabase } from '../support/use-database.ts';

/** Deadlines that give up a connection when an answer takes a second longer. */
const short: Deadlines = { ...servingDeadlines, statementMs: 1_000 };

const database = useDatabase();
let proxy: DatabaseProxy;
const pools: Pool[] = [];

beforeAll(async () => {
  proxy = await startDatabaseProxy(database.url);
});
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.end()));
});
afterAll(async () => {
  await proxy.close();
});

function poolOf(deadlines: Deadlines, max = 1): Pool {
  const pool = createPool(proxy.url, max, deadlines);
  pools.push(pool);
  return pool;
}

describe('the deadlines of a pool', () => {
  beforeAll(async () => {
    const name = new URL(database.url).pathname.slice(1);
    await poolOf(noDeadlines).query(`alter database ${name} set statement_timeout = '1h'`);
  });

  test.each([
    ['of requests', servingDeadlines, ['5s', '5s', '5s', '30s']],
    ['of jobs and operators', batchDeadlines, ['1min', '5s', '5s', '30s']],
    ['of migrations, which have none', noDeadlines, ['0', '0', '0', '0']],
  ])('the server receives the deadlines %s', async (_whom, deadlines, expected) => {
    const pool = poolOf(deadlines);
    const settings = ['statement', 'lock', 'idle_in_transaction_session', 'idle_session'];
    const told: unknown[] = [];
    for (const setting of settings) {
      const { rows } = await pool.query<Record<string, string>>(`show ${setting}_timeout`);
      told.push(rows[0]?.[`${setting}_timeout`]);
    }
    expect(told).toEqual(expected);
  });
});

test('the server ends a statement that takes too long, and the connection can still be used', async () => {
  const pool = poolOf(short);
  const client = await pool.connect();
  const own = await pidOf(client);
  await expect(client.query('select pg_sleep(60)')).rejects.toMatchObject({ code: '57014' });
  expect(await pidOf(client)).toBe(own);
  client.release();
});

test('the server ends a wait for a lock', async () => {
  const [holder, waiter] = [poolOf(noDeadlines), poolOf({ ...servingDeadlines, lockMs: 500 })];
  const client = await holder.connect();
  await client.query('begin; lock table users');
  await expect(waiter.query('select * from users')).rejects.toMatchObject({ code: '55P03' });
  await client.query('rollback');
  client.release();
});

test('the server ends a transaction that is left open and releases its locks', async () => {
  const [pool, other] = [poolOf({ ...short, idleInTransactionMs: 500 }), poolOf(noDeadlines)];
  const client = await pool.connect();
  await client.query('begin; lock table users');
  await other.query('select count(*) from users');
  await expect(client.query('commit')).rejects.toSatisfy(isDatabaseUnreachable);
  client.release();
  expect(await pidOf(pool)).toBeGreaterThan(0);
});

test('the server ends an idle session, and the pool opens another', async () => {
  const pool = poolOf({ ...short, idleSessionMs: 500 });
  const before = await pidOf(pool);
  await until(
    async () => pool.totalCount,
    (count) => count === 0,
  );
  expect(await pidOf(pool)).not.toBe(before);
});

const ways: [string, (pool: Pool) => Promise<unknown>][] = [
  ['a query', (pool) => pool.query('select 1')],
  ['a query with values', (pool) => pool.query('select $1::int', [1])],
  ['a statement of Kysely', (pool) => sql`select ${1}::int`.execute(db(pool))],
  ['the beginning of a transaction', (pool) => inDbTransaction(db(pool), (tx) => sql`select 1`.execute(tx))],
  [
    'a transaction with several concurrent statements',
    (pool) =>
      inDbTransaction(db(pool), (tx) => Promise.all([1, 2, 3].map((n) => sql`select ${n}::int`.execute(tx)))),
  ],
];

test.each(ways)(
  '%s on a frozen connection fails, and the pool gives up the connection',
  async (_what, ask) => {
    const pool = poolOf(short);
    await pool.query('select 1');
    expect(proxy.freeze()).toBeGreaterThan(0);
    await expect(ask(pool)).rejects.toSatisfy(isDatabaseUnreachable);
    expect(await pidOf(pool)).toBeGreaterThan(0);
  },
);

test('a transaction that freezes in its middle or at its end fails, and the pool gives up the connection', async () => {
  const pool = poolOf(short);
  const inTheMiddle = inDbTransaction(db(pool), async (tx) => {
    await sql`select 1`.execute(tx);
    proxy.freeze();
    await sql`select 2`.execute(tx);
  });
  await expect(inTheMiddle).rejects.toSatisfy(isDatabaseUnreachable);
  const trap = proxy.freezeAt(COMMIT, 'arrives');
  const atItsEnd = inDbTransaction(db(pool), (tx) => sql`select 1`.execute(tx));
  await expect(atItsEnd).rejects.toSatisfy(isDatabaseUnreachable);
  expect(trap.hasFrozen()).toBe(true);
  // The connection is not inside a transaction of another client.
  const { rows } = await pool.query('select now() = statement_timestamp() as "isAlone"');
  expect(rows).toEqual([{ isAlone: true }]);
});

// The sentence and the code of Citus 14 when a worker is killed between the statements of a transaction and its commit.
test('a commit that lost a server has an unknown outcome, and the database counts as unreachable', async () => {
  const pool = poolOf(servingDeadlines);
  await pool.query(`
    create table lost_workers (id int);
    create function lose_worker() returns trigger language plpgsql as $$ begin
      raise 'could not commit transaction for shard 103451 on at least one active node' using errcode = 'XX000';
    end $$;
    create constraint trigger lose_worker after insert on lost_workers deferrable initially deferred
      for each row execute function lose_worker()`);
  const commit = inDbTransaction(db(pool), (tx) => sql`insert into lost_workers values (1)`.execute(tx));
  const error: unknown = await commit.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(CommitUnanswered);
  expect(isDatabaseUnreachable(error)).toBe(true);
});

test('the pool gives up its idle connections with a frozen one, so that no request waits for the next one', async () => {
  const pool = poolOf(short, 4);
  await Promise.all(Array.from({ length: 4 }, () => pool.query('select pg_sleep(0.2)')));
  expect(pool.totalCount).toBe(4);
  proxy.freeze();
  await expect(pool.query('select 1')).rejects.toSatisfy(isDatabaseUnreachable);
  await until(
    async () => pool.totalCount,
    (count) => count === 0,
  );
});

test('a query that waited for a frozen connection gets another one', async () => {
  const pool = poolOf(short);
  await pool.query('select 1');
  proxy.freeze();
  const [first, second] = await Promise.allSettled([pool.query('select 1'), pidOf(pool)]);
  expect([first.status, second.status]).toEqual(['rejected', 'fulfilled']);
});

test('a pool that ends does not wait for a frozen connection', async () => {
  const pool = createPool(proxy.url, 2, short);
  await pool.query('select 1');
  proxy.freeze();
  await pool.end();
  expect(pool.totalCount).toBe(0);
});

test('a connection is kept when statements that were sent together take longer than one may', async () => {
  const pool = poolOf({ ...short, statementMs: 2_000 });
  const client = await pool.connect();
  const pid = await pidOf(client);
  await Promise.all(Array.from({ length: 6 }, () => client.query('select pg_sleep(0.7)')));
  expect(await pidOf(client)).toBe(pid);
  client.release();
});

test('a connection is kept when the process was paused while the answer arrived', async () => {
  const pool = poolOf(short);
  const before = await pidOf(pool);
  const sleeping = pool.query('select pg_sleep(0.1)');
  await new Promise((resolve) => setTimeout(resolve, 10));
  for (const begun = performance.now(); performance.now() - begun < 4_000; );
  await sleeping;
  expect(await pidOf(pool)).toBe(before);
});

test('a connection whose server refuses a write as read-only is destroyed, and the next statement gets another connection', async () => {
  const pool = poolOf(servingDeadlines);
  const tables = new Kysely<{ writable: { id: number } }>({ dialect: new PostgresDialect({ pool }) });
  const processId = async () =>
    (await sql<{ id: number }>`select pg_backend_pid() as id`.execute(tables)).rows[0]?.id;
  const insert = (id: number) =>
    inDbTransaction(tables, async (tx) => void (await tx.insertInto('writable').values({ id }).execute()));
  await sql`create table writable (id int)`.execute(tables);
  const before = await processId();
  await sql`set session characteristics as transaction read only`.execute(tables);
  const refused: unknown = await insert(1).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: '25006' });
  expect(isDatabaseUnreachable(refused)).toBe(true);
  await insert(2);
  expect(await processId()).not.toBe(before);
  await sql`drop table writable`.execute(tables);
});

// `npm run try:failover` connects to a real standby.
test('a connection to a server in recovery is refused, and counts as unreachable', async () => {
  const client = { query: async () => ({ rows: [{ recovers: true }] }) } as unknown as ClientBase;
  const refused: unknown = await refuseServerInRecovery(client).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ServerReadOnly);
  expect(isDatabaseUnreachable(refused)).toBe(true);
});

const db = (pool: Pool) => new Kysely<Record<string, never>>({ dialect: new PostgresDialect({ pool }) });

type Querying = { query: Pool['query'] };

async function pidOf(pool: Querying): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
}
