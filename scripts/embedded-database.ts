// A real PostgreSQL without an installation: npm installs its programs. `npm start` and the tests use it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { stopServerIn } from './database-server.ts';
import { freePort } from './free-port.ts';
import { isRoot, loadEmbeddedPostgres, reachableFolder } from './reachable-postgres.ts';

export type EmbeddedDatabase = {
  /** The address of the `ponte` database, as its owner. */
  url: string;
  stop: () => Promise<void>;
};

/**
 * @param folder the folder of the cluster.
 * @param keep whether the data outlive the process. Without it, the server trades durability for speed.
 * @param port a fixed port. Without it, a free one is used.
 * @param settings additional settings of the server.
 */
export async function startEmbeddedDatabase(options: {
  folder: string;
  keep: boolean;
  port?: number;
  settings?: Record<string, string>;
}): Promise<EmbeddedDatabase> {
  const port = options.port ?? (await freePort());
  const folder = reachableFolder(options.folder);
  const EmbeddedPostgres = await without(options.keep ? [...SIGNALS, ...ENDS] : ENDS, loadEmbeddedPostgres);
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
      ...Object.entries(options.settings ?? {}).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    onLog: () => undefined,
    onError: () => undefined,
  });
  await stopServerIn(folder);
  const isNew = !existsSync(join(folder, 'PG_VERSION'));
  if (isNew) await postgres.initialise();
  await postgres.start();
  if (isNew) await postgres.createDatabase('ponte');
  return { url: `postgres://ponte:ponte@127.0.0.1:${port}/ponte`, stop: () => postgres.stop() };
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const;
const ENDS = ['beforeExit', 'exit'] as const;

/**
 * Loads the library without its hooks. On a signal, the library stops the server before its clients are done, but this project
 * decides when to stop. And when a process has nothing left to do, the library makes it exit with 0, even after failed tests.
 */
async function without<Loaded>(
  hooks: readonly (NodeJS.Signals | (typeof ENDS)[number])[],
  load: () => Promise<Loaded>,
): Promise<Loaded> {
  const before = new Map(hooks.map((hook) => [hook, process.listeners(hook as 'SIGINT')]));
  const loaded = await load();
  for (const hook of hooks)
    for (const listener of process.listeners(hook as 'SIGINT'))
      if (!before.get(hook)?.includes(listener)) process.removeListener(hook, listener);
  return loaded;
}
