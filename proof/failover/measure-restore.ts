// How long a restore takes by size: a base backup is copied, and the log since an earlier one is replayed.
import { setTimeout as pause } from 'node:timers/promises';
import { migrateDatabase, query } from '../../harness/database/query.ts';
import { machine, markdownTable, seconds } from '../../harness/report.ts';
import type { AtEnd } from '../run-in-folder.ts';
import { startArchived } from './archive.ts';

const MIB = 1024 ** 2;
const LOOK_EVERY_MS = 200;
const ARCHIVES_WITHIN_MS = 120_000;

/**
 * Fills a database with callbacks, whose random keys make much log. It is restored from a backup that was taken before them.
 * @returns a table with the sizes and times.
 */
export async function measureRestore(
  databaseFolder: string,
  callbacks: number,
  atEnd: AtEnd,
): Promise<string> {
  const cluster = await startArchived(databaseFolder, atEnd);
  await migrateDatabase(cluster.url);
  await cluster.addStandby();
  const from = await position(cluster.url);
  await query(
    cluster.url,
    `insert into webhook_events (id, provider, identity, event_type, payload_sealed, status, outcome, received_at, processed_at)
     select gen_random_uuid(), 'measured', sha256(number::text::bytea), 'payout.updated', '', 'applied', 'applied', now(), now()
     from generate_series(1, $1::int) number`,
    [callbacks],
  );
  const logMiB = ((await position(cluster.url)) - from) / MIB;
  await isArchived(cluster.url);
  const { killedAt, promotedAt } = await cluster.failOver();
  const [stored] = await query<{ count: number }>(
    cluster.url,
    'select count(*)::int as count from webhook_events',
  );
  if (stored?.count !== callbacks)
    throw new Error(`${stored?.count} of ${callbacks} callbacks were restored`);

  const [size] = await query<{ bytes: number }>(
    cluster.url,
    'select sum(pg_database_size(oid))::float8 as bytes from pg_database',
  );
  const began = Date.now();
  await cluster.addStandby();
  const rows = [
    [`start and replay ${logMiB.toFixed(0)} MiB of log`, promotedAt - killedAt, logMiB],
    ['copy a base backup', Date.now() - began, (size?.bytes ?? 0) / MIB],
  ] as const;
  return [
    `${new Date().toISOString().slice(0, 10)}, ${machine()}, ${callbacks} callbacks.`,
    markdownTable(
      ['To', 'takes', 'MiB', 'MiB a second'],
      rows.map(([what, ms, mib]) => [what, seconds(ms), mib.toFixed(0), ((mib * 1_000) / ms).toFixed(0)]),
    ),
  ].join('\n\n');
}

/** Returns the bytes of log since the server was made. */
async function position(url: string): Promise<number> {
  const [row] = await query<{ bytes: number }>(
    url,
    `select (pg_current_wal_insert_lsn() - '0/0')::float8 as bytes`,
  );
  return row?.bytes ?? Number.NaN;
}

/** Waits until the archive has everything that was committed. */
async function isArchived(url: string): Promise<void> {
  const [row] = await query<{ name: string }>(url, 'select pg_walfile_name(pg_switch_wal()) as name');
  for (const begun = performance.now(); ; await pause(LOOK_EVERY_MS)) {
    const [archived] = await query<{ name: string }>(
      url,
      'select last_archived_wal as name from pg_stat_archiver',
    );
    if (row !== undefined && archived !== undefined && archived.name >= row.name) return;
    if (performance.now() - begun > ARCHIVES_WITHIN_MS) throw new Error('the log is not archived');
  }
}
