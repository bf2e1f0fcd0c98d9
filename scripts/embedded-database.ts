// A real PostgreSQL without an installation: the binaries come with npm. For `npm start` and for tests.
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
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
  const EmbeddedPostgres = await loadEmbeddedPostgres();
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
  const isNew = !existsSync(join(folder, 'PG_VERSION'));
  if (isNew) await postgres.initialise();
  await postgres.start();
  if (isNew) await postgres.createDatabase('ponte');
  return { url: `postgres://ponte:ponte@127.0.0.1:${port}/ponte`, stop: () => postgres.stop() };
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
