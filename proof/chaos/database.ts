// PostgreSQL that is stopped immediately, as by a power cut, and started again on the same data. It syncs to disk.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startEmbeddedDatabase } from '../../scripts/embedded-database.ts';
import { freePort } from '../../scripts/free-port.ts';
import { reachableFolder } from '../../scripts/reachable-postgres.ts';
import { noDeadlines } from '../../src/database/deadlines.ts';
import { createOrm } from '../../src/database/orm.ts';
import { createPool } from '../../src/database/pool.ts';
import { migrate } from '../../src/database/schema.ts';

export type CrashableDatabase = {
  url: string;
  /** The actual data folder. */
  folder: string;
  /** Stops it without letting it finish anything, and starts it again after so long. */
  crash: (awayMs: number) => Promise<void>;
};

/** @param atEnd registers the function that stops it, before it is started: a run can be interrupted at any time. */
export async function startCrashableDatabase(
  folder: string,
  atEnd: (stop: () => Promise<void>) => void,
): Promise<CrashableDatabase> {
  const port = await freePort();
  const dataFolder = reachableFolder(folder);
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
  return {
    url,
    folder: dataFolder,
    crash: async (awayMs) => {
      // What `pg_ctl stop -m immediate` sends.
      await end(dataFolder, 'SIGQUIT');
      await pause(awayMs);
      if (isWanted) await (working = start());
    },
  };
}

/** Stops the server on these data, if there is one. */
async function end(folder: string, signal: NodeJS.Signals): Promise<void> {
  const file = join(folder, 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8').split('\n', 1)[0]);
  if (isAlive(pid)) process.kill(pid, signal);
  while (isAlive(pid)) await pause(20);
}

async function migrated(url: string): Promise<void> {
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
