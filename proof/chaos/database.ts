// A PostgreSQL server that is stopped immediately, as by a power cut, or whose disk is full for a while. It is started again on the
// same data. It syncs to disk.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { startEmbeddedDatabase } from '../../scripts/embedded-database.ts';
import { freePort } from '../../scripts/free-port.ts';
import { reachableFolder } from '../../scripts/reachable-postgres.ts';
import { noDeadlines } from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { createOrm } from '../../src/tables/orm.ts';
import { migrate } from '../../src/tables/schema/schema.ts';
import { mountSmallDisk } from './small-disk.ts';

/** The longest time that a server takes to end after it cannot write its log. */
const ENDS_WITHIN_MS = 1_000;
const MOST_LOG_FILES = 100;

export type CrashableDatabase = {
  url: string;
  folder: string;
  /** Stops the server immediately, without letting it finish anything, and starts it again after `awayMs`. */
  crash: (awayMs: number) => Promise<void>;
  /**
   * Fills the server's disk for `forMs`. Null if the disk is not a small one. The log has files with free space for a while: 'for
   * tables and log' uses these up as well, so that the server ends. It is started again afterwards.
   * @throws if the disk has not become full, or the server has not ended.
   */
  fillDisk: ((forMs: number, isFull: 'for tables' | 'for tables and log') => Promise<void>) | null;
};

/**
 * @param isDiskSmall whether the data are on a disk that can be filled.
 * @param atEnd registers the function that stops the server, before it is started: a run can be interrupted at any time.
 */
export async function startCrashableDatabase(
  folder: string,
  isDiskSmall: boolean,
  atEnd: (stop: () => Promise<void>) => void,
): Promise<CrashableDatabase> {
  const port = await freePort();
  const dataFolder = reachableFolder(folder);
  const disk = isDiskSmall ? mountSmallDisk(dataFolder, atEnd) : null;
  let isWanted = true;
  const start = async (): Promise<string> => (await startEmbeddedDatabase({ folder, keep: true, port })).url;
  const starting = start();
  let working: Promise<unknown> = starting;
  atEnd(async () => {
    isWanted = false;
    await working.catch(() => undefined);
    await end(dataFolder, 'SIGINT');
  });
  const url = await starting;
  await migrated(url);

  let previous: Promise<void> = Promise.resolve();
  /** Runs one task after the other: a server cannot start on a full disk. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = previous.then(work);
    previous = done.catch(() => undefined);
    return done;
  };
  return {
    url,
    folder: dataFolder,
    crash: (awayMs) =>
      inTurn(async () => {
        // `pg_ctl stop -m immediate` sends this signal.
        await end(dataFolder, 'SIGQUIT');
        await pause(awayMs);
        if (isWanted) await (working = start());
      }),
    fillDisk:
      disk &&
      ((forMs, isFull) =>
        inTurn(async () => {
          try {
            await disk.fill();
            if (isFull === 'for tables and log') await useUpLog(url);
            await pause(forMs);
            if (isFull === 'for tables and log' && serverOn(dataFolder) !== null)
              throw new Error('the server has not ended, though its log has no room');
          } finally {
            disk.free();
            await pause(ENDS_WITHIN_MS);
            if (isWanted && serverOn(dataFolder) === null) await (working = start());
          }
        })),
  };
}

/** Switches to the next file of the log until there is none. Then the server ends, and the connection with it. */
async function useUpLog(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    for (let files = 0; files < MOST_LOG_FILES; files += 1)
      await client.query(`select pg_logical_emit_message(false, 'chaos', ''), pg_switch_wal()`);
  } catch {
    // The server has ended. The caller checks this.
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Stops the server on these data, if one is running. */
async function end(folder: string, signal: NodeJS.Signals): Promise<void> {
  const pid = serverOn(folder);
  if (pid === null) return;
  process.kill(pid, signal);
  while (isAlive(pid)) await pause(20);
}

/** Returns the process id of the server on these data. Null if none runs. */
function serverOn(folder: string): number | null {
  const file = join(folder, 'postmaster.pid');
  if (!existsSync(file)) return null;
  const pid = Number(readFileSync(file, 'utf8').split('\n', 1)[0]);
  return isAlive(pid) ? pid : null;
}

export async function migrated(url: string): Promise<void> {
  const pool = createPool(url, 4, noDeadlines);
  const orm = await createOrm(pool);
  await migrate(orm);
  await orm.close(true);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
