// A real PostgreSQL without an installation: the binaries come with npm. For `npm start` and for tests.
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isRoot, loadEmbeddedPostgres, reachableFolder } from './reachable-postgres.ts';

export type EmbeddedDatabase = {
  /** Connects as the owner to the `ponte` database. */
  url: string;
  stop: () => Promise<void>;
};

/**
 * @param folder where the cluster lives.
 * @param keep whether the data outlives the process; without it durability is traded for speed.
 * @param port a fixed port; a free one when left out.
 */
export async function startEmbeddedDatabase(options: {
  folder: string;
  keep: boolean;
  port?: number;
}): Promise<EmbeddedDatabase> {
  const port = options.port ?? (await freePort());
  const folder = reachableFolder(options.folder);
  const EmbeddedPostgres = await (options.keep
    ? withoutSignals(loadEmbeddedPostgres)
    : loadEmbeddedPostgres());
  const postgres = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: 'ponte',
    password: 'ponte',
    persistent: options.keep,
    createPostgresUser: isRoot(),
    initdbFlags: ['--encoding=UTF8', '--locale=C', ...(options.keep ? [] : ['--no-sync'])],
    postgresFlags: [
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'max_connections=200',
      ...(options.keep
        ? []
        : ['-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off']),
    ],
    onLog: () => undefined,
    onError: () => undefined,
  });
  await endOrphan(folder);
  const isNew = !existsSync(join(folder, 'PG_VERSION'));
  if (isNew) await postgres.initialise();
  await postgres.start();
  if (isNew) await postgres.createDatabase('ponte');
  return { url: `postgres://ponte:ponte@127.0.0.1:${port}/ponte`, stop: () => postgres.stop() };
}

/** Stops the server of a run that was killed before it could do so: the folder would be locked by it. */
async function endOrphan(folder: string): Promise<void> {
  const file = join(folder, 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8').split('\n', 1)[0]);
  try {
    for (process.kill(pid, 'SIGINT'); ; process.kill(pid, 0)) await pause(50);
  } catch {
    // No such process: it has ended, now or long ago.
  }
}

/** The library ends the server at a signal, before those who still use it are done: when to stop is for us to say. */
async function withoutSignals<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const;
  const before = new Map(signals.map((signal) => [signal, process.listeners(signal)]));
  const loaded = await load();
  for (const signal of signals)
    for (const listener of process.listeners(signal))
      if (!before.get(signal)?.includes(listener)) process.removeListener(signal, listener);
  return loaded;
}

/** A port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
