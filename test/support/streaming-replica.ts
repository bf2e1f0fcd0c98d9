// A streaming replica of an embedded server, made without pg_basebackup, which the embedded binaries lack: the primary's
// folder is copied between pg_backup_start and pg_backup_stop.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, chownSync, cpSync, globSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Pool, PoolClient } from 'pg';
import { freePort } from '../../scripts/free-port.ts';
import { noDeadlines } from '../../src/database/deadlines.ts';
import { createPool } from '../../src/database/pool.ts';
import { until } from './until.ts';

export type StreamingReplica = {
  url: string;
  /** From now on it receives what is committed and does not show it. */
  pause: () => Promise<void>;
  resume: () => Promise<void>;
  /** The last statements of the service's connections to it. */
  statements: () => Promise<string[]>;
  /** Also where it runs: then nothing happens. */
  start: () => Promise<void>;
  stop: () => Promise<void>;
};

/** @param folder a new one, which every user can pass through. */
export async function startStreamingReplica(primaryUrl: string, folder: string): Promise<StreamingReplica> {
  const primary = createPool(primaryUrl, 1, noDeadlines);
  const program = await copyFolder(primary, folder);
  await primary.end();
  const port = await freePort();
  const url = atPort(primaryUrl, port);
  const { username, password, port: primaryPort } = new URL(primaryUrl);
  const settings = {
    primary_conninfo: `host=127.0.0.1 port=${primaryPort} user=${username} password=${password}`,
    listen_addresses: '127.0.0.1',
    max_connections: '200',
    fsync: 'off',
    hot_standby: 'on',
  };
  let server: ChildProcess | null = null;

  const ask = async (statement: string): Promise<Record<string, unknown>[]> => {
    const pool = createPool(url, 1);
    try {
      return (await pool.query<Record<string, unknown>>(statement)).rows;
    } finally {
      await pool.end();
    }
  };
  const start = async (): Promise<void> => {
    if (server !== null) return;
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const { uid, gid } = statSync(folder);
    server = spawn(program, ['-D', folder, '-p', String(port), ...flags], { uid, gid, stdio: 'ignore' });
    await until(
      () => ask('select pg_is_in_recovery() as it').catch(() => []),
      ([row]) => row?.['it'] === true,
    );
  };
  await start();
  return {
    url,
    pause: async () => void (await ask('select pg_wal_replay_pause()')),
    resume: async () => void (await ask('select pg_wal_replay_resume()')),
    statements: async () => {
      const rows = await ask(
        `select query from pg_stat_activity where application_name = 'ponte' and pid <> pg_backend_pid()`,
      );
      return rows.map(({ query }) => String(query));
    },
    start,
    stop: async () => {
      const stopping = server;
      if (stopping === null) return;
      server = null;
      const ended = new Promise((resolve) => stopping.once('exit', resolve));
      stopping.kill('SIGINT');
      await ended;
    },
  };
}

/** @returns the server's program. */
async function copyFolder(primary: Pool, folder: string): Promise<string> {
  // Begin and end of a backup belong to one session.
  const session = await primary.connect();
  const { source, programs } = await whereIs(session);
  await session.query(`select pg_backup_start('replica', fast => true)`);
  cpSync(source, folder, { recursive: true, filter: (file) => !isLeftOut(file) });
  const { rows } = await session.query<{ label: string }>(
    'select labelfile as label from pg_backup_stop(wait_for_archive => false)',
  );
  session.release();
  writeFileSync(join(folder, 'backup_label'), rows[0]?.label ?? '');
  writeFileSync(join(folder, 'standby.signal'), '');
  mkdirSync(join(folder, 'pg_wal'), { recursive: true });
  const { uid, gid } = statSync(source);
  for (const file of [folder, ...globSync('**', { cwd: folder }).map((name) => join(folder, name))])
    chownSync(file, uid, gid);
  chmodSync(folder, 0o700);
  return join(programs, 'postgres');
}

/** Files that the copy must not have, or that may vanish meanwhile; their folders are needed. */
const isLeftOut = (file: string): boolean =>
  /^(postmaster\.(pid|opts)|pg_internal\.init.*|pgsql_tmp.*)$/.test(basename(file)) ||
  /\/(pg_wal|pg_replslot|pg_stat_tmp|pg_dynshmem|pg_notify|pg_subtrans)\/./.test(file);

async function whereIs(session: PoolClient): Promise<{ source: string; programs: string }> {
  const { rows } = await session.query<{ source: string; programs: string }>(
    `select current_setting('data_directory') as source, setting as programs from pg_config where name = 'BINDIR'`,
  );
  const [found] = rows;
  if (!found) throw new Error('the server does not tell where its programs are');
  return found;
}

function atPort(databaseUrl: string, port: number): string {
  const url = new URL(databaseUrl);
  url.port = String(port);
  return url.href;
}
