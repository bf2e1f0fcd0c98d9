// Group commit: which decisions share a commit, which do not, and how a failing or locked decision affects the others.
import { Kysely, PostgresDialect, sql } from 'kysely';
import type { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  COMMIT,
  type DatabaseProxy,
  type Fate,
  startDatabaseProxy,
} from '../../harness/database-proxy/database-proxy.ts';
import { CommitUnanswered } from '../../src/platform/database/db-transaction.ts';
import { noDeadlines, servingDeadlines } from '../../src/platform/database/deadlines.ts';
import { createGroupCommit, type GroupCommit } from '../../src/platform/database/group-commit.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { until } from '../support/until.ts';
import { useDatabase } from '../support/use-database.ts';

type Sums = { sums: { person: string; sum: number; latest: string | null } };

const database = useDatabase();
let proxy: DatabaseProxy;
let direct: Pool;
let db: Kysely<Sums>;
let groupCommit: GroupCommit<Sums>;

beforeAll(async () => {
  proxy = await startDatabaseProxy(database.url);
  direct = createPool(database.url, 3, noDeadlines);
  await direct.query(
    'create table sums (person text primary key, sum int not null check (sum >= 0), latest text)',
  );
});
beforeEach(async () => {
  await direct.query(`delete from sums`);
  await direct.query(`insert into sums select chr(96 + n), 0 from generate_series(1, 9) as n`);
  // As when serving, the server ends the transaction of a lost COMMIT before the client gives up and repeats the decision.
  const deadlines = { ...servingDeadlines, statementMs: 3_000, idleInTransactionMs: 3_000 };
  db = new Kysely<Sums>({ dialect: new PostgresDialect({ pool: createPool(proxy.url, 6, deadlines) }) });
  groupCommit = createGroupCommit(db, 20);
});
afterEach(() => db.destroy());
afterAll(async () => {
  await direct.end();
  await proxy.close();
});

/** Adds to a person's sum. @returns the id of the transaction that wrote it. */
const add = (person: string, amount = 1): Promise<string> =>
  groupCommit(person, async (tx) => {
    const { rows } = await sql<{ id: string }>`
      update sums set sum = sum + ${amount} where person = ${person} returning pg_current_xact_id()::text as id
    `.execute(tx);
    return rows[0]?.id ?? 'nobody';
  });

/** Starts a commit, so that the decisions that follow wait together until it is done. */
const busy = () => add('i');

const sums = async (): Promise<Record<string, number>> => {
  const { rows } = await direct.query<Sums['sums']>('select * from sums where sum > 0 order by person');
  return Object.fromEntries(rows.map(({ person, sum }) => [person, sum]));
};

test('decisions of several users that arrive during a commit share the next one', async () => {
  const [first, ...next] = await Promise.all([busy(), add('a'), add('b'), add('c')]);
  expect(new Set(next).size).toBe(1);
  expect(next[0]).not.toBe(first);
  expect(await sums()).toEqual({ a: 1, b: 1, c: 1, i: 1 });
});

test('decisions of one user that arrive during a commit are committed one after the other', async () => {
  const reads: number[] = [];
  const readAndAdd = () =>
    groupCommit('a', async (tx) => {
      const { sum } = await tx
        .selectFrom('sums')
        .select('sum')
        .where('person', '=', 'a')
        .forNoKeyUpdate()
        .executeTakeFirstOrThrow();
      reads.push(sum);
      await tx
        .updateTable('sums')
        .set({ sum: sum + 1 })
        .where('person', '=', 'a')
        .execute();
    });
  await Promise.all([busy(), readAndAdd(), readAndAdd(), readAndAdd()]);
  expect(reads).toEqual([0, 1, 2]);
});

test('a decision that fails after it has written is rolled back, and the others are committed alone', async () => {
  const first = busy();
  const failing = groupCommit('b', async (tx) => {
    await tx.updateTable('sums').set({ sum: 77 }).where('person', '=', 'b').execute();
    throw new Error('it cannot be');
  });
  const others = Promise.all([add('a'), add('c')]);
  await expect(Promise.all([first, failing])).rejects.toThrow('it cannot be');
  expect(new Set(await others).size).toBe(2);
  expect(await sums()).toEqual({ a: 1, c: 1, i: 1 });
});

test('a decision that fails before it has written fails alone, and the others still share their commit', async () => {
  const first = busy();
  const refused = groupCommit('b', async (tx) => {
    await tx.selectFrom('sums').selectAll().where('person', '=', 'b').forNoKeyUpdate().execute();
    throw new Error('refused');
  });
  const others = Promise.all([add('a'), add('c')]);
  await expect(Promise.all([first, refused])).rejects.toThrow('refused');
  expect(new Set(await others).size).toBe(1);
  expect(await sums()).toEqual({ a: 1, c: 1, i: 1 });
});

test('a decision that fails after a select whose `with` has written is rolled back', async () => {
  const first = busy();
  const failing = groupCommit('b', async (tx) => {
    await tx
      .with('changed', (is) =>
        is.updateTable('sums').set({ sum: 77 }).where('person', '=', 'b').returningAll(),
      )
      .selectFrom('changed')
      .selectAll()
      .execute();
    throw new Error('it cannot be');
  });
  const others = Promise.all([add('a'), add('c')]);
  await expect(Promise.all([first, failing])).rejects.toThrow('it cannot be');
  expect(new Set(await others).size).toBe(2);
  expect(await sums()).toEqual({ a: 1, c: 1, i: 1 });
});

test('a decision whose statement fails is rejected, and the others are committed', async () => {
  const first = busy();
  const poisoned = add('b', -1);
  const others = Promise.all([add('a'), add('c')]);
  await expect(Promise.all([first, poisoned])).rejects.toThrow('sums_sum_check');
  await others;
  expect(await sums()).toEqual({ a: 1, c: 1, i: 1 });
});

test('a statement that a failed decision issues late reaches no connection', async () => {
  let late: Promise<unknown> | undefined;
  const { promise: isOver, resolve: over } = Promise.withResolvers<void>();
  await expect(
    groupCommit('a', async (tx) => {
      const write = tx.updateTable('sums').set({ sum: 5 }).where('person', '=', 'a');
      late = isOver.then(() => write.execute());
      await tx.updateTable('sums').set({ sum: 4 }).where('person', '=', 'a').execute();
      throw new Error('taken back');
    }),
  ).rejects.toThrow('taken back');
  over();
  await expect(late).rejects.toThrow('the transaction is over');
  expect(await sums()).toEqual({});
});

test('a decision whose row is locked waits alone, and the others are committed while it waits', async () => {
  const holder = await direct.connect();
  await holder.query('begin');
  await holder.query(`select from sums where person = 'b' for update`);
  const first = busy();
  const locked = add('b');
  await Promise.all([first, add('a'), add('c')]);
  expect(await sums()).toEqual({ a: 1, c: 1, i: 1 });
  await holder.query('commit');
  holder.release();
  await locked;
  expect(await sums()).toEqual({ a: 1, b: 1, c: 1, i: 1 });
});

const fates: [string, Fate, number][] = [
  ['arrives but is not answered', 'arrives', 1],
  ['never arrives', 'is lost', 2],
];

test.each(fates)(
  'each decision of a shared COMMIT that %s is made once and succeeds',
  async (_what, fate, times) => {
    const written: string[] = [];
    let commit: ReturnType<DatabaseProxy['freezeAt']> | undefined;
    /** Adds 1, unless it finds under the lock that it has already done so. */
    const addOnce = (person: string) =>
      groupCommit(person, async (tx) => {
        await sql`select from sums where person = ${person} for update`.execute(tx);
        const { rows } = await sql<Sums['sums']>`
          update sums set sum = sum + 1, latest = 'it' where person = ${person} and latest is null returning person
        `.execute(tx);
        written.push(...rows.map((row) => row.person));
        commit ??= proxy.freezeAt(COMMIT, fate);
        return person;
      });
    // The first decision delays its commit, so that the next COMMIT is the shared one, however slow the machine is.
    const { promise: isShared, resolve: shared } = Promise.withResolvers<void>();
    const first = groupCommit('i', () => isShared);
    const commits = [addOnce('a'), addOnce('c')];
    await until(
      async () => commit?.hasFrozen() ?? false,
      (hasFrozen) => hasFrozen,
    );
    shared();
    expect(await Promise.all(commits)).toEqual(['a', 'c']);
    await first;
    expect(await sums()).toEqual({ a: 1, c: 1 });
    expect(written.filter((one) => one === 'a')).toHaveLength(times);
  },
);

test('a COMMIT that is not answered twice fails with an unknown outcome', async () => {
  const commit = groupCommit('a', async (tx) => {
    await sql`update sums set sum = sum + 1 where person = 'a'`.execute(tx);
    proxy.freezeAt(COMMIT, 'is lost');
  });
  await expect(commit).rejects.toThrow(CommitUnanswered);
  expect(await sums()).toEqual({});
});

test('two processes that decide about the same users in opposite orders both finish', async () => {
  const other = new Kysely<Sums>({ dialect: new PostgresDialect({ pool: createPool(database.url, 3) }) });
  const elsewhere = createGroupCommit(other, 20);
  const people = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const addElsewhere = (person: string) =>
    elsewhere(person, (tx) =>
      tx.updateTable('sums').set({ sum: sql<number>`sum + 1` }).where('person', '=', person).execute(),
    );
  for (let round = 0; round < 10; round += 1)
    await Promise.all([...people.map((one) => add(one)), ...people.toReversed().map(addElsewhere)]);
  await other.destroy();
  expect(await sums()).toEqual(Object.fromEntries(people.map((one) => [one, 20])));
});
