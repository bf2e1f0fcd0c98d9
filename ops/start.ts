// Starts an app for the command line. It has the database, provider and keys of the service, but no HTTP server and no worker. For support
// it has the database alone.

import { systemClock } from '../src/domain/clock.ts';
import { batchDeadlines } from '../src/platform/database/deadlines.ts';
import { createPool } from '../src/platform/database/pool.ts';
import { createSearchHashes } from '../src/security/search-hashes.ts';
import type { App } from '../src/start/app.ts';
import { readConfig, readSupportConfig } from '../src/start/config.ts';
import { createApp } from '../src/start/create-app.ts';
import { createLog } from '../src/start/log.ts';
import { version } from '../src/start/version.ts';
import { createOrm, dbOf } from '../src/tables/orm.ts';
import { assertSchemaFits } from '../src/tables/schema/schema.ts';
import type { SupportApp } from './command.ts';

/** The size of the connection pool. A command needs few connections and must leave the others to the service. */
const CONNECTIONS = 4;

/**
 * Starts the app.
 * @throws ConfigurationError with everything that is missing or wrong, SchemaOutdated, or the database's error.
 */
export async function startOps(env: NodeJS.ProcessEnv): Promise<{ app: App; close: () => Promise<void> }> {
  const config = { ...readConfig(env), databasePoolSize: CONNECTIONS };
  // The log is silent, because standard output is for the result and errors are printed as sentences.
  const { app, closeDatabase } = await createApp(config, {
    log: createLog('silent'),
    clock: systemClock,
    deadlines: batchDeadlines,
  });
  return {
    app,
    close: async () => {
      await app.providerConnection.close();
      await closeDatabase();
    },
  };
}

/**
 * Starts the part of an app that support has. Statements find the views of support before the tables.
 * @throws ConfigurationError, SchemaOutdated, or the database's error.
 */
export async function startSupport(
  env: NodeJS.ProcessEnv,
): Promise<{ app: SupportApp; close: () => Promise<void> }> {
  const { searchKeys, ...config } = readSupportConfig(env);
  const pool = createPool(config.databaseUrl, CONNECTIONS, batchDeadlines, { searchPath: 'support,public' });
  try {
    await assertSchemaFits(pool, version);
    const orm = await createOrm(pool);
    const sealer = { search: createSearchHashes(searchKeys), open: null };
    const app = { db: dbOf(orm), clock: systemClock, config, sealer, providerConnection: null };
    return { app, close: () => orm.close(true) };
  } catch (error) {
    await pool.end();
    throw error;
  }
}
