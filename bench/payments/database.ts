// The database's own counts: commits and log bytes, statements, and how long payments took.
import { query } from '../../harness/database/query.ts';

/**
 * The settings of every stack's database. They avoid checkpoints, which would write whole pages into the log again, at any time.
 * The extension costs nothing while statements are not tracked (see statements.ts).
 */
export const databaseSettings = {
  max_wal_size: '8GB',
  checkpoint_timeout: '1h',
  shared_preload_libraries: 'pg_stat_statements',
};

/**
 * Tells the planner how many rows the tables have, as autovacuum does within a minute. Until then plans are those of empty tables, and a
 * look-up of a few rows reads its whole table.
 */
export const learnTables = (databaseUrl: string): Promise<object[]> => query(databaseUrl, 'analyze');

export async function logPosition(databaseUrl: string): Promise<string> {
  const [row] = await query<{ lsn: string }>(databaseUrl, 'select pg_current_wal_insert_lsn() as lsn');
  return row?.lsn ?? '';
}

export type Written = { bytes: number; commits: number };

/** The writes to the log between two positions: all bytes, and the number of committed transactions. */
export async function writtenBetween(databaseUrl: string, from: string, to: string): Promise<Written> {
  await query(databaseUrl, 'create extension if not exists pg_walinspect');
  const [row] = await query<Written>(
    databaseUrl,
    `select pg_wal_lsn_diff($2, $1)::float8 as bytes, (
       select coalesce(sum(count), 0) from pg_get_wal_stats($1, $2, true)
       where "resource_manager/record_type" = 'Transaction/COMMIT'
     )::float8 as commits`,
    [from, to],
  );
  return row ?? { bytes: Number.NaN, commits: Number.NaN };
}

/** The milliseconds from the creation to `completed` of these transactions of customers. */
export async function completionTimes(databaseUrl: string, ids: string[]): Promise<number[]> {
  const rows = await query<{ ms: number }>(
    databaseUrl,
    `select (extract(epoch from completed_at - created_at) * 1000)::float8 as ms
     from transactions where id = any($1) and status = 'completed'`,
    [ids],
  );
  return rows.map(({ ms }) => ms);
}

export async function databaseTime(databaseUrl: string): Promise<Date> {
  const [row] = await query<{ now: Date }>(databaseUrl, 'select now()');
  return row?.now ?? new Date(Number.NaN);
}

/** The milliseconds from the creation to `completed` of the payments that were completed in this time. */
export async function completedSince(databaseUrl: string, since: Date, until: Date): Promise<number[]> {
  const rows = await query<{ ms: number }>(
    databaseUrl,
    `select (extract(epoch from completed_at - created_at) * 1000)::float8 as ms
     from transactions where type = 'payment' and completed_at > $1 and completed_at <= $2`,
    [since, until],
  );
  return rows.map(({ ms }) => ms);
}

export type HotTable = { name: string; dead: number; live: number; bytes: number };

/** The tables whose rows change with each payment: their live rows, and the dead rows that are not cleared away yet. */
export const hotTables = (databaseUrl: string): Promise<HotTable[]> =>
  query<HotTable>(
    databaseUrl,
    `select relname as name, n_dead_tup::int as dead, n_live_tup::int as live,
       pg_total_relation_size(relid)::float8 as bytes
     from pg_stat_user_tables
     where relname in ('effects', 'webhook_events', 'provider_resources', 'pix_payments', 'transactions', 'users')
     order by relname`,
  );

export type StoredTable = { name: string; rows: number; bytes: number };

/** All tables: their rows that were inserted and not deleted, and the bytes of the table with its indexes. */
export const storedTables = (databaseUrl: string): Promise<StoredTable[]> =>
  query<StoredTable>(
    databaseUrl,
    `select relname as name, (n_tup_ins - n_tup_del)::float8 as rows, pg_total_relation_size(relid)::float8 as bytes
     from pg_stat_user_tables order by bytes desc`,
  );

export async function connectionsOf(databaseUrl: string): Promise<number> {
  const [row] = await query<{ count: number }>(
    databaseUrl,
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
  );
  return row?.count ?? Number.NaN;
}
