// PostgreSQL that is stopped at once, as by a power cut, and started again on the same data. It syncs to disk.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort, startEmbeddedDatabase } from '../../scripts/embedded-database.ts';
import { reachableFolder } from '../../scripts/reachable-postgres.ts';
import { createOrm } from '../../src/database/orm.ts';
import { createPool } from '../../src/database/pool.ts';
import { migrate } from '../../src/database/schema.ts';

export type CrashableDatabase = {
  url: string;
  /** Where its data really are. */
  folder: string;
  /** Stops it without letting it finish anything, and starts it again after so long. */
  crash: (awayMs: number) => Promise<void>;
  stop: () => Promise<void>;
};

export async function startCrashableDatabase(folder: string): Promise<CrashableDatabase> {
  const port = await freePort();
  const start = () => startEmbeddedDatabase({ folder, keep: true, port });
  let server = await start();
  let working: Promise<unknown> = Promise.resolve();
  await migrated(server.url);
  const place = reachableFolder(folder);
  return {
    url: server.url,
    folder: place,
    crash: (awayMs) => {
      const blow = async (): Promise<void> => {
        const pid = Number(readFileSync(join(place, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
        // What `pg_ctl stop -m immediate` sends.
        process.kill(pid, 'SIGQUIT');
        while (isAlive(pid)) await pause(20);
        await pause(awayMs);
        server = await start();
      };
      const done = working.then(blow);
      working = done.catch(() => undefined);
      return done;
    },
    stop: async () => {
      await working;
      await server.stop();
    },
  };
}

async function migrated(url: string): Promise<void> {
  const pool = createPool(url, 4);
  const orm = await createOrm(pool);
  await migrate(orm, pool);
  await orm.close(true);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
