// PostgreSQL servers with streaming replication: a primary, and standbys made from a copy of a running server's data folder. The
// project's PostgreSQL has no pg_basebackup, so the copy is made between `pg_backup_start` and `pg_backup_stop`.
import { execFile, spawn } from 'node:child_process';
import {
  chownSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isRunning, serverIn, stopServerIn } from '../../harness/database/database-server.ts';
import { startEmbeddedDatabase } from '../../harness/database/embedded-database.ts';
import { query, withPool } from '../../harness/database/query.ts';
import { freePort } from '../../harness/processes/free-port.ts';
import { childrenOf } from '../../harness/processes/linux-processes.ts';
import type { AtEnd } from '../run-in-folder.ts';

/** `program` is the path of the server's own program. */
export type Server = { url: string; folder: string; program: string };

const run = promisify(execFile);

/** Enough log for a standby whose copy takes long. */
const SETTINGS = { wal_keep_size: '1GB', max_connections: '200', listen_addresses: '127.0.0.1' };
const STARTS_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 20;

/** Files of the data folder that belong to the running server, and the log, which the standby receives from the primary. */
const NOT_COPIED = new Set(['postmaster.pid', 'postmaster.opts', 'pg_wal', 'pg_replslot', 'standby.signal']);
const MADE_EMPTY = ['pg_wal', 'pg_replslot'];

/** Starts a server with an empty database. It syncs to disk. */
export async function startPrimary(
  folder: string,
  atEnd: AtEnd,
  settings: Record<string, string> = {},
): Promise<Server> {
  atEnd(() => stopServerIn(folder));
  const { url } = await startEmbeddedDatabase({ folder, keep: true, settings: { ...SETTINGS, ...settings } });
  return { url, folder, program: programIn(folder) };
}

/**
 * Copies the data folder of a running server and starts the copy as its standby.
 * @param primaryUrl the address from which the standby receives the log: the primary's own, or a proxy's.
 * @returns the standby, once it accepts connections.
 */
export async function startStandby(
  primary: Server,
  { folder, primaryUrl, atEnd }: { folder: string; primaryUrl: string; atEnd: AtEnd },
): Promise<Server> {
  await backUp(primary, folder, { isArchived: false });
  const { hostname, port, username, password } = new URL(primaryUrl);
  // A proxy of the database understands no request for encryption.
  const plain = 'sslmode=disable gssencmode=disable';
  const settings = {
    primary_conninfo: `host=${hostname} port=${port} user=${username} password=${password} ${plain}`,
  };
  return startFromBackup(primary, { folder, signal: 'standby.signal', settings, atEnd });
}

/**
 * Copies the data folder of a running server. The copy has no log: it is received from the server or from the archive.
 * @param isArchived whether to wait until the archive has the log that the copy needs.
 */
export async function backUp(
  primary: Server,
  folder: string,
  { isArchived }: { isArchived: boolean },
): Promise<void> {
  const { uid, gid } = statSync(primary.folder);
  const makeFolder = (path: string): void => {
    mkdirSync(path, { mode: 0o700 });
    chownSync(path, uid, gid);
  };
  makeFolder(folder);
  const label = await whileBackedUp(primary.url, isArchived, () => copyData(primary.folder, folder));
  for (const name of MADE_EMPTY) makeFolder(join(folder, name));
  writeOwned(join(folder, 'backup_label'), label, { uid, gid });
}

type Restored = {
  /** The folder of the backup, in which the server runs. */
  folder: string;
  signal: 'standby.signal' | 'recovery.signal';
  settings: Record<string, string>;
  atEnd: AtEnd;
};

/**
 * Starts a server in a copy of another one. Resolves once it accepts connections.
 * @throws an error with the end of its log, if it ends or does not start in time.
 */
export async function startFromBackup(
  former: Server,
  { folder, signal, settings, atEnd }: Restored,
): Promise<Server> {
  const { uid, gid } = statSync(folder);
  writeOwned(join(folder, signal), '', { uid, gid });
  const port = await freePort();
  const flags = Object.entries({ ...SETTINGS, ...settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const logFile = `${folder}.log`;
  const log = openSync(logFile, 'a');
  atEnd(() => stopServerIn(folder));
  const server = spawn(former.program, ['-D', folder, '-p', String(port), ...flags], {
    stdio: ['ignore', log, log],
    ...(process.getuid?.() === 0 && { uid, gid }),
  });
  closeSync(log);
  const url = Object.assign(new URL(former.url), { port: String(port) }).href;
  for (const begun = performance.now(); !(await accepts(url)); await pause(LOOK_EVERY_MS))
    if (server.exitCode !== null || performance.now() - begun > STARTS_WITHIN_MS)
      throw new Error(`the server does not start: ${readFileSync(logFile, 'utf8').slice(-2_000)}`);
  return { url, folder, program: former.program };
}

function writeOwned(path: string, text: string, { uid, gid }: { uid: number; gid: number }): void {
  writeFileSync(path, text);
  chownSync(path, uid, gid);
}

/** Ends a server as a power cut does: no process of it runs any further instruction. */
export async function killServer({ folder }: Server): Promise<void> {
  const postmaster = serverIn(folder);
  if (postmaster === null) throw new Error(`no server runs on ${folder}`);
  // A stopped postmaster starts no further process.
  process.kill(postmaster, 'SIGSTOP');
  const processes = [...childrenOf(postmaster), postmaster];
  for (const pid of processes) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has ended by itself.
    }
  }
  while (isRunning(postmaster)) await pause(LOOK_EVERY_MS);
}

/**
 * Makes a standby the primary. `pg_ctl promote` does the same.
 * @returns when it accepts writes.
 */
export async function promote({ url }: Server): Promise<void> {
  const [row] = await query<{ done: boolean }>(url, 'select pg_promote(true, 60) as done');
  if (row?.done !== true) throw new Error('the standby was not promoted within a minute');
}

/** @returns the label of the backup. The copy must have it in its folder. */
const whileBackedUp = (url: string, isArchived: boolean, copy: () => Promise<void>): Promise<string> =>
  withPool(url, async (pool) => {
    // A backup belongs to one session.
    const session = await pool.connect();
    try {
      await session.query(`select pg_backup_start('copy', fast => true)`);
      await copy();
      const { rows } = await session.query<{ label: string }>(
        'select labelfile as label from pg_backup_stop(wait_for_archive => $1)',
        [isArchived],
      );
      return rows[0]?.label ?? '';
    } finally {
      session.release();
    }
  });

/** The log repairs files that change during the copy. Files that vanish meanwhile are not needed. */
async function copyData(from: string, to: string): Promise<void> {
  const entries = readdirSync(from).filter((name) => !NOT_COPIED.has(name));
  const copying = run('cp', ['-a', ...entries.map((name) => join(from, name)), to]);
  await copying.catch((error: { stderr?: string }) => {
    const complaints = (error.stderr ?? '').split('\n').filter((line) => line !== '');
    const areHarmless = complaints.every((line) => line.includes('No such file or directory'));
    if (complaints.length === 0 || !areHarmless) throw error;
  });
}

/** The server itself wrote the path of its program into its data folder. */
const programIn = (folder: string): string =>
  readFileSync(join(folder, 'postmaster.opts'), 'utf8').split(' ', 1)[0] ?? '';

const accepts = (url: string): Promise<boolean> =>
  query(url, 'select 1').then(
    () => true,
    () => false,
  );
