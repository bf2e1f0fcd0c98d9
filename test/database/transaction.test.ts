// Statements of a transaction leave together: which error its caller sees when one of them fails.
import { Kysely, sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { noDeadlines } from '../../src/database/deadlines.ts';
import { createDialect } from '../../src/database/dialect.ts';
import { createPool } from '../../src/database/pool.ts';
import { inTransaction } from '../../src/database/transaction.ts';
import type { Tables } from '../../src/entities/index.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const DIVISION_BY_ZERO = '22012';

let database: TestDatabase;
let db: Kysely<Tables>;

beforeAll(async () => {
  database = await createTestDatabase();
  db = new Kysely({ dialect: createDialect(createPool(database.url, 1, noDeadlines)) });
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

it('a statement behind one that failed fails for the same reason, whichever the caller waits for', async () => {
  const decided = inTransaction(db, async (tx) => {
    const first = sql`select 1 / 0`.execute(tx).catch(() => 'not waited for');
    await sql`select 1`.execute(tx);
    await first;
  });
  await expect(decided).rejects.toMatchObject({ code: DIVISION_BY_ZERO });
});

it('the reason is the first failure of the transaction, and of no earlier one on the connection', async () => {
  const decided = inTransaction(db, async (tx) => {
    await Promise.allSettled([sql`select 'a'::int`.execute(tx), sql`select 1 / 0`.execute(tx)]);
    await sql`select 1`.execute(tx);
  });
  await expect(decided).rejects.toMatchObject({ message: expect.stringContaining('"a"') as string });
  expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
});
