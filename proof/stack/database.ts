// A PostgreSQL server that is stopped immediately, as by a power cut, or whose disk is full for a while. It is started again on the
// same data. It syncs to disk.
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { serverIn, stopServerIn } from '../../harness/database/database-server.ts';
import { startEmbeddedDatabase } from '../../harness/database/embedded-database.ts';
import { migrateDatabase, withPool } from '../../harness/database/query.ts';
import { reachableFolder } from '../../harness/database/reachable-postgres.ts';
import { freePort } from '../../harness/processes/free-port.ts';
import type { AtEnd } from '../run-in-folder.ts';
import { mountSmallDisk } from './small-disk.ts';

/** The longest time that a server takes to end after it cannot write its log. */
const ENDS_WITHIN_MS = 1_000;
const MAX_LOG_FILES = 100;

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

/** A server that others run: the faults of a run leave it alone. */
export const runningDatabase = (url: string): CrashableDatabase => ({
  url,
  folder: '',
  crash: () => Promise.reject(new Error('a run cannot stop a server that it did not start')),
  fillDisk: null,
});

/**
 * @param isDiskSmall whether the data are on a disk that can be filled.
 * @param atEnd registers the function that stops the server, before it is started: a run can be interrupted at any time.
 */
export async function startCrashableDatabase(
  folder: string,
  isDiskSmall: boolean,
  atEnd: AtEnd,
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
    await stopServerIn(dataFolder);
  });
  const url = await starting;
  await migrateDatabase(url);

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
        await stopServerIn(dataFolder, 'SIGQUIT');
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
            if (isFull === 'for tables and log' && serverIn(dataFolder) !== null)
              throw new Error('the server has not ended, though its log has no room');
          } finally {
            disk.free();
            await pause(ENDS_WITHIN_MS);
            if (isWanted && serverIn(dataFolder) === null) await (working = start());
          }
        })),
  };
}

/** Switches to the next file of the log until there is none. Then the server ends, and the connection with it. */
// The server has ended when a statement fails. The caller checks this.
const useUpLog = (url: string): Promise<void> => withPool(url, switchFiles).catch(() => undefined);

async function switchFiles(session: Pool): Promise<void> {
  for (let files = 0; files < MAX_LOG_FILES; files += 1)
    await session.query(`select pg_logical_emit_message(false, 'chaos', ''), pg_switch_wal()`);
}
