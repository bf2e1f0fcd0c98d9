// Transactions: how they begin, and which error the caller sees when a statement of them fails, or their connection.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import {
  decideTogether,
  inDbTransaction,
  TakenBack,
  type TransactionOptions,
} from '../../src/database/db-transaction.ts';
import { noDeadlines } from '../../src/database/deadlines.ts';
import { createGroupCommit } from '../../src/database/group-commit.ts';
import { createOrm, type Db, dbOf } from '../../src/database/orm.ts';
import { createPool } from '../../src/database/pool.ts';
import type { Entities } from '../../src/entities/index.ts';
import { byTable } from '../support/by-table.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const DIVISION_BY_ZERO = '22012';

let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await createTestDatabase();
  db = dbOf(await createOrm(createPool(database.url, 1, noDeadlines)));
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

describe('a transaction begins', () => {
  const usual = { isolation: 'read committed', reads: 'off', statement: '0', lock: '0' };

  it.each<[string, TransactionOptions | undefined, object]>([
    ['as its connection is set', undefined, usual],
    [
      'for reads of one snapshot',
      { isReadOnlySnapshot: true },
      { isolation: 'repeatable read', reads: 'on' },
    ],
    ['with deadlines of its own', { statementMs: 700, lockMs: 300 }, { statement: '700ms', lock: '300ms' }],
  ])('%s', async (_how, options, different) => {
    expect(await settingsIn(options)).toEqual({ ...usual, ...different });
    expect(await settingsIn()).toEqual(usual);
  });

  it('never within another: its commit would be the outer one’s', async () => {
    const outer = inDbTransaction(db, async (tx) => {
      await insert(tx, 'of the outer one');
      await inDbTransaction<Entities, string>(tx, (inner) => insert(inner, 'of the inner one'));
    });
    await expect(outer).rejects.toThrow('begins no other');
    expect(await types()).toEqual([]);
  });
});

describe('a failed statement that its decision passes over', () => {
  // The server answers such a commit with ROLLBACK, and no error.
  it.each([
    ['fails the transaction', passesOver],
    ['fails the transaction, also where nothing waits for it', forgets],
  ])('%s', async (_what, decide) => {
    await expect(inDbTransaction(db, decide)).rejects.toMatchObject({ code: DIVISION_BY_ZERO });
    expect(await types()).toEqual([]);
  });

  it('takes back what shared the transaction', async () => {
    const shared = decideTogether(db, [passesOver, (tx) => insert(tx, 'startWithdraw')]);
    await expect(shared).rejects.toThrow(TakenBack);
    expect(await types()).toEqual([]);
  });
});

describe('a decision that a schema change interrupts', () => {
  test('runs again in a new transaction', async () => {
    await read(db);
    await sql`alter table effect_pauses add column added int`.execute(db);
    const found: number[] = [];
    await inDbTransaction(db, async (tx) => {
      await insert(tx, 'startPayout');
      found.push((await read(tx)).rows.length);
    });
    expect(found).toEqual([1]);
    expect(await types()).toEqual(['startPayout']);
    await sql`delete from effect_pauses`.execute(db);
  });

  test('runs again alone when it shared the transaction', async () => {
    const groupCommit = createGroupCommit<Entities>(db);
    await read(db);
    await sql`alter table effect_pauses drop column added`.execute(db);
    const decide = (type: string) => async (tx: Db) => {
      await insert(tx, type);
      await read(tx);
    };
    await Promise.all(
      ['startPayout', 'startConversion', 'startWithdrawPayout'].map((type) =>
        groupCommit(type, decide(type)),
      ),
    );
    expect((await types()).toSorted()).toEqual(['startConversion', 'startPayout', 'startWithdrawPayout']);
    await sql`delete from effect_pauses`.execute(db);
  });
});

it('a transaction whose connection is gone fails with what it failed with', async () => {
  const failing = inDbTransaction(db, async (tx) => {
    await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx).catch(() => undefined);
    await sql`select 1`.execute(tx).catch(() => undefined);
    await insert(tx, 'startPayout').catch(() => undefined);
    throw new Error('the decision’s own');
  });
  await expect(failing).rejects.toThrow('the decision’s own');
  expect(await types()).toEqual([]);
});

it('a statement behind one that failed fails for the same reason, whichever the caller waits for', async () => {
  const decided = inDbTransaction(db, async (tx) => {
    const first = sql`select 1 / 0`.execute(tx).catch(() => 'not waited for');
    await sql`select 1`.execute(tx);
    await first;
  });
  await expect(decided).rejects.toMatchObject({ code: DIVISION_BY_ZERO });
});

it('the reason is the first failure of the transaction, and of no earlier one on the connection', async () => {
  const decided = inDbTransaction(db, async (tx) => {
    await Promise.allSettled([sql`select 'a'::int`.execute(tx), sql`select 1 / 0`.execute(tx)]);
    await sql`select 1`.execute(tx);
  });
  await expect(decided).rejects.toMatchObject({ message: expect.stringContaining('"a"') as string });
  expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
});

const read = (tx: Db) => sql`select * from effect_pauses where ${true}`.execute(tx);

const settingsIn = async (options?: TransactionOptions) => {
  const { rows } = await inDbTransaction(
    db,
    (tx) =>
      sql<Record<string, string>>`
        select current_setting('transaction_isolation') as isolation, current_setting('transaction_read_only') as reads,
          current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`.execute(
        tx,
      ),
    options,
  );
  return rows[0];
};

const passesOver = async (tx: Db): Promise<string> => {
  await insert(tx, 'startPayout');
  await sql`select 1 / 0`.execute(tx).catch(() => 'not waited for');
  return 'committed';
};

const forgets = async (tx: Db): Promise<string> => {
  await insert(tx, 'startPayout');
  void sql`select 1 / 0`.execute(tx).catch(() => 'not waited for');
  return 'committed';
};

const insert = async (tx: Db, type: string): Promise<string> => {
  await sql`insert into effect_pauses (type, operator, reason, paused_at) values (${type}, 'ada', 'a test', now())`.execute(
    tx,
  );
  return type;
};

const types = async (): Promise<string[]> =>
  (await byTable(db).selectFrom('effect_pauses').select('type').execute()).map(({ type }) => type);
