// Transactions: how they begin, and which error the caller sees when a statement or the connection fails.
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import {
  decideTogether,
  inDbTransaction,
  TakenBack,
  type TransactionOptions,
} from '../../src/platform/database/db-transaction.ts';
import { noDeadlines } from '../../src/platform/database/deadlines.ts';
import { createGroupCommit } from '../../src/platform/database/group-commit.ts';
import type { Entities } from '../../src/tables/entities.ts';
import type { Db } from '../../src/tables/orm.ts';
import { byTable } from '../support/by-table.ts';
import { useOrm } from '../support/use-database.ts';

const DIVISION_BY_ZERO = '22012';

const database = useOrm(1, noDeadlines);

const usual = { isolation: 'read committed', reads: 'off', statement: '0', lock: '0' };

test.each<[string, TransactionOptions | undefined, object]>([
  ['with the settings of its connection', undefined, usual],
  ['as a read-only snapshot', { isReadOnlySnapshot: true }, { isolation: 'repeatable read', reads: 'on' }],
  ['with its own deadlines', { statementMs: 700, lockMs: 300 }, { statement: '700ms', lock: '300ms' }],
])('a transaction begins %s', async (_how, options, different) => {
  expect(await settingsIn(options)).toEqual({ ...usual, ...different });
  expect(await settingsIn()).toEqual(usual);
});

test('a transaction cannot begin within another, because its commit would be that of the outer one', async () => {
  const outer = inDbTransaction(database.db, async (tx) => {
    await insert(tx, 'of the outer one');
    await inDbTransaction<Entities, string>(tx, (inner) => insert(inner, 'of the inner one'));
  });
  await expect(outer).rejects.toThrow('cannot begin another');
  expect(await types()).toEqual([]);
});

describe('a failed statement that its decision ignores', () => {
  // The server answers such a commit with ROLLBACK and without an error.
  test.each([
    ['catches the error', passesOver],
    ['does not wait for it', forgets],
  ])('a failed statement fails the transaction even if the decision %s', async (_what, decide) => {
    await expect(inDbTransaction(database.db, decide)).rejects.toMatchObject({ code: DIVISION_BY_ZERO });
    expect(await types()).toEqual([]);
  });

  test('a failed statement that the decision ignores rolls back the decisions that share the transaction', async () => {
    const shared = decideTogether(database.db, [passesOver, (tx) => insert(tx, 'startWithdraw')]);
    await expect(shared).rejects.toThrow(TakenBack);
    expect(await types()).toEqual([]);
  });
});

test('a decision that a schema change interrupts runs again in a new transaction', async () => {
  await read(database.db);
  await sql`alter table effect_pauses add column added int`.execute(database.db);
  const found: number[] = [];
  await inDbTransaction(database.db, async (tx) => {
    await insert(tx, 'startPayout');
    found.push((await read(tx)).rows.length);
  });
  expect(found).toEqual([1]);
  expect(await types()).toEqual(['startPayout']);
  await sql`delete from effect_pauses`.execute(database.db);
});

test('a decision that a schema change interrupts runs again alone if it shared the transaction', async () => {
  const groupCommit = createGroupCommit<Entities>(database.db, 20);
  await read(database.db);
  await sql`alter table effect_pauses drop column added`.execute(database.db);
  const decide = (type: string) => async (tx: Db) => {
    await insert(tx, type);
    await read(tx);
  };
  await Promise.all(
    ['startPayout', 'startConversion', 'startWithdrawPayout'].map((type) => groupCommit(type, decide(type))),
  );
  expect((await types()).toSorted()).toEqual(['startConversion', 'startPayout', 'startWithdrawPayout']);
  await sql`delete from effect_pauses`.execute(database.db);
});

test('a transaction whose connection is lost fails with the error of its decision', async () => {
  const failing = inDbTransaction(database.db, async (tx) => {
    await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx).catch(() => undefined);
    await sql`select 1`.execute(tx).catch(() => undefined);
    await insert(tx, 'startPayout').catch(() => undefined);
    throw new Error('the decision’s own');
  });
  await expect(failing).rejects.toThrow('the decision’s own');
  expect(await types()).toEqual([]);
});

test('a statement after a failed one fails for the same reason, whichever the caller waits for', async () => {
  const decided = inDbTransaction(database.db, async (tx) => {
    const first = sql`select 1 / 0`.execute(tx).catch(() => 'not waited for');
    await sql`select 1`.execute(tx);
    await first;
  });
  await expect(decided).rejects.toMatchObject({ code: DIVISION_BY_ZERO });
});

test('the reason is the first failure of the transaction, not an earlier one on the connection', async () => {
  const decided = inDbTransaction(database.db, async (tx) => {
    await Promise.allSettled([sql`select 'a'::int`.execute(tx), sql`select 1 / 0`.execute(tx)]);
    await sql`select 1`.execute(tx);
  });
  await expect(decided).rejects.toMatchObject({ message: expect.stringContaining('"a"') as string });
  expect((await sql`select 1 as one`.execute(database.db)).rows).toEqual([{ one: 1 }]);
});

const read = (tx: Db) => sql`select * from effect_pauses where ${true}`.execute(tx);

const settingsIn = async (options?: TransactionOptions) => {
  const { rows } = await inDbTransaction(
    database.db,
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
  (await byTable(database.db).selectFrom('effect_pauses').select('type').execute()).map(({ type }) => type);
