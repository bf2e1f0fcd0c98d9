// Locks tables, and counts the statements that wait for a lock.
import { sql } from 'kysely';
import { Client } from 'pg';
import { inject } from 'vitest';
import { databaseAt, query } from '../../harness/database/query.ts';
import type { Db } from '../../src/tables/orm.ts';

/** How many statements of this database wait for a lock that another transaction has, on any of its servers. */
export async function waitingForLocks(databaseUrl: string): Promise<number> {
  const name = new URL(databaseUrl).pathname.slice(1);
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  const each = inject('databaseServers').map((server) => query(databaseAt(server, name), waiting));
  return (await Promise.all(each)).flat().length;
}

/** How many statements of this database wait for a lock of the table. Other databases give their tables the same ids. */
export async function waitingForTable(db: Db, table: string): Promise<number> {
  const { rows } = await sql`
    select from pg_locks join pg_database on pg_database.oid = pg_locks.database
    where datname = current_database() and relation = ${table}::regclass and not granted`.execute(db);
  return rows.length;
}

/**
 * Runs `work` while a table is locked in the given mode. The lock has a connection of its own, because the service's
 * deadlines end a transaction of its pool that is idle for long, as one is on a slow machine.
 */
export async function whileLocked<Result>(
  databaseUrl: string,
  table: string,
  mode: 'access share' | 'exclusive' | 'access exclusive',
  work: () => Promise<Result>,
): Promise<Result> {
  const locking = new Client({ connectionString: databaseUrl });
  await locking.connect();
  try {
    await locking.query(`begin; lock table ${table} in ${mode} mode`);
    return await work();
  } finally {
    await locking.end();
  }
}
