// Statements that were planned while their tables were small are planned again after a while, and then read few rows.
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { largeTables, multiplyPerson, removeEverybody } from '../../harness/database/many-people.ts';
import { newId } from '../../src/domain/ids.ts';
import { inDbTransaction } from '../../src/platform/database/db-transaction.ts';
import { noDeadlines } from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { listBankDetails } from '../../src/tables/bank-details/statements.ts';
import { type Db, dbOver } from '../../src/tables/orm.ts';
import { findWithdraw } from '../../src/tables/withdraws/statements.ts';
import { withdraw } from '../support/person.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

const PEOPLE = 3_000;
const LIVES_SECONDS = 2;
const MAX_TRIES = 5;
const PATIENCE_MS = 120_000;
/** The most rows and index entries that one user's own data needs. */
const FEW = 20;

let owner: Pool;

const { world, ada } = useWorld({ deposit: '500.00' });
beforeAll(async () => {
  await withdraw(ada, 1_000);
  await world.service.stop();
  owner = createPool(world.databaseUrl, 1, noDeadlines);
  // The planner has analysed the tables while they are small, and does not learn that they grow.
  for (const table of largeTables) await owner.query(`alter table ${table} set (autovacuum_enabled = off)`);
  await owner.query('analyze');
}, PATIENCE_MS);
afterAll(async () => {
  await owner.end();
  await removeEverybody(world.databaseUrl);
}, PATIENCE_MS);

test(
  'a plan of a small table is dropped with its connection once the table has grown',
  async () => {
    const db = dbOver(
      world.service.app.orm,
      createPool(world.databaseUrl, 1, noDeadlines, {}, LIVES_SECONDS),
    );
    expect(await readByOldPlans(db)).toBeGreaterThan(PEOPLE);
    expect(
      await until(
        () => readRows(db),
        (read) => read < PEOPLE,
        PATIENCE_MS,
      ),
    ).toBeLessThan(FEW);
    await db.destroy();
  },
  PATIENCE_MS,
);

/**
 * Lets the tables grow under a connection that is not released, so it keeps its plans. Other tests create many tables meanwhile. A session
 * that misses invalidations because of them loses its plans, and the tables then grow once more.
 * @returns the number of rows and index entries that the old plans read.
 */
async function readByOldPlans(db: Db): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const read = await db.connection().execute(async (kept) => {
      await readRows(kept);
      await keptAwake(
        kept,
        multiplyPerson(world.databaseUrl, ada.userId, PEOPLE, PEOPLE, { isAnalyzed: false }),
      );
      return readRows(kept);
    });
    if (read > PEOPLE || tries === MAX_TRIES) return read;
    await removeCopies();
  }
}

async function removeCopies(): Promise<void> {
  await owner.query('set session_replication_role = replica');
  for (const table of largeTables) {
    const isCopy =
      table === 'webhook_events' ? 'true' : `${table === 'users' ? 'id' : 'user_id'} <> '${ada.userId}'`;
    await owner.query(`delete from ${table} where ${isCopy}`);
    await owner.query(`vacuum analyze ${table}`);
  }
}

/** Sends statements on this connection until the work ends, so it reads the invalidations that other tests cause. */
async function keptAwake(db: Db, work: Promise<unknown>): Promise<void> {
  let isDone = false;
  const ended = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await sql`select`.execute(db);
    await pause(10);
  }
  await ended;
}

/**
 * @returns the number of rows and index entries that the requests' statements read, as PostgreSQL counts them in their transaction.
 */
const readRows = (db: Db): Promise<number> =>
  inDbTransaction(db, async (tx) => {
    await listBankDetails(tx, { userId: ada.userId });
    await findWithdraw(tx, { userId: ada.userId, id: newId() });
    const { rows } = await sql<{ read: number }>`
      select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int8 as read from pg_stat_xact_user_tables`.execute(
      tx,
    );
    return rows[0]?.read ?? 0;
  });
