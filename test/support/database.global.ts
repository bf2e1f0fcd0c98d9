// One database server for the whole run, with a template that is migrated once. TEST_DATABASE chooses the server: `embedded`,
// `container` (Testcontainers), or the address of a running one. The default is a container if an engine answers, and the embedded
// server otherwise. The address may be a coordinator's of Citus: its workers are then servers of the run as well.
import { PostgreSqlContainer } from '@testcontainers/postgresql';
import { getContainerRuntimeClient } from 'testcontainers';
import type { TestProject } from 'vitest/node';
import { startEmbeddedDatabase } from '../../harness/database/embedded-database.ts';
import { databaseAt, distributeDatabase, migrateDatabase, query } from '../../harness/database/query.ts';
import { temporaryFolderInMemory } from '../../harness/temporary-folder.ts';
import { noDeadlines } from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { installCaptureTriggers } from './capture-triggers.ts';
import { composeServices } from './compose.ts';
import { connectServers, onEach, serversBehind } from './database-cluster.ts';

/** By digest, as in the compose file. */
const IMAGE = composeServices()['postgres']?.image ?? '';
const PATIENCE_MS = 60_000;
const TEMPLATE = 'ponte_template';

type Server = { url: string; kind: string; stop: () => Promise<unknown> };

declare module 'vitest' {
  export interface ProvidedContext {
    databaseServerUrl: string;
    /** The address of every server: one, or a coordinator and its workers. */
    databaseServers: string[];
    databaseTemplate: string;
  }
}

export default async function setup({ vitest }: TestProject): Promise<(() => Promise<void>) | undefined> {
  // The first project that needs the server starts it for all projects.
  if (vitest.getProvidedContext().databaseServerUrl !== undefined) return undefined;
  const server = await startServer(process.env['TEST_DATABASE'] ?? 'any');
  const servers = await serversBehind(server.url);
  if (servers.length === 1) await makeTemplate(server.url);
  else await makeDistributedTemplate(servers);
  console.log(`database for tests: ${server.kind}, ${servers.length} servers`);
  vitest.provide('databaseServerUrl', server.url);
  vitest.provide('databaseServers', servers);
  vitest.provide('databaseTemplate', TEMPLATE);
  return async () => void (await server.stop());
}

function startServer(choice: string): Promise<Server> {
  if (choice === 'embedded') return embedded();
  if (choice === 'container') return container();
  if (choice.startsWith('postgres'))
    return Promise.resolve({ url: choice, kind: 'given', stop: async () => undefined });
  // The engine may answer without having an image. The embedded server is then used instead.
  return withinPatience(container()).catch(embedded);
}

/** Limits the time of a pull, which an unreachable registry may delay without end. */
const withinPatience = (starting: Promise<Server>): Promise<Server> =>
  Promise.race([
    starting,
    new Promise<never>((_resolve, reject) =>
      setTimeout(reject, PATIENCE_MS, new Error('no container')).unref(),
    ),
  ]);

async function container(): Promise<Server> {
  await getContainerRuntimeClient();
  const started = await new PostgreSqlContainer(IMAGE)
    .withCommand(['postgres', '-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'max_connections=300'])
    .start();
  return { url: started.getConnectionUri(), kind: `container ${IMAGE}`, stop: () => started.stop() };
}

async function embedded(): Promise<Server> {
  const database = await startEmbeddedDatabase({ folder: temporaryFolderInMemory('test'), keep: false });
  return { ...database, kind: 'embedded PostgreSQL' };
}

async function makeTemplate(serverUrl: string): Promise<void> {
  await query(serverUrl, `drop database if exists ${TEMPLATE}`);
  await query(serverUrl, `create database ${TEMPLATE}`);
  const url = databaseAt(serverUrl, TEMPLATE);
  await migrateDatabase(url);
  const pool = createPool(url, 1, noDeadlines);
  await installCaptureTriggers(pool);
  await pool.end();
}

/** Nothing may be connected to a template. Citus itself connects to every database, so this one takes no connections. */
async function makeDistributedTemplate(servers: string[]): Promise<void> {
  await onEach(servers, `drop database if exists ${TEMPLATE} with (force)`);
  await onEach(servers, `create database ${TEMPLATE}`);
  const url = await connectServers(servers, TEMPLATE);
  await migrateDatabase(url);
  await distributeDatabase(url);
  await onEach(servers, `alter database ${TEMPLATE} allow_connections false`);
  await onEach(
    servers,
    `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${TEMPLATE}'`,
  );
}
