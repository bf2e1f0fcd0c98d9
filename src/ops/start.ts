// An app for the command line: the same database, provider and keys as the service's, without HTTP and without a worker.
import type { App } from '../app.ts';
import { readConfig } from '../config/config.ts';
import { batchDeadlines } from '../database/deadlines.ts';
import { createLog } from '../logging/log.ts';
import { createApp } from '../start/create-app.ts';
import { systemClock } from '../time/clock.ts';

/** A command needs few connections, and must leave them to the service. */
const CONNECTIONS = 4;

/** @throws ConfigurationError naming all that is missing or wrong, SchemaOutdated, or the database's own error. */
export async function startOps(env: NodeJS.ProcessEnv): Promise<{ app: App; close: () => Promise<void> }> {
  const config = { ...readConfig(env), databasePoolSize: CONNECTIONS };
  // Standard output is for the result; errors are printed as sentences.
  const { app, closeDatabase } = await createApp(config, {
    log: createLog('silent'),
    clock: systemClock,
    deadlines: batchDeadlines,
  });
  return {
    app,
    close: async () => {
      await app.provider.close();
      await closeDatabase();
    },
  };
}
