// Starts an app for the command line. It has the database, provider and keys of the service, but no HTTP server and no worker.

import { systemClock } from '../src/domain/clock.ts';
import { batchDeadlines } from '../src/platform/database/deadlines.ts';
import type { App } from '../src/start/app.ts';
import { readConfig } from '../src/start/config.ts';
import { createApp } from '../src/start/create-app.ts';
import { createLog } from '../src/start/log.ts';

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
