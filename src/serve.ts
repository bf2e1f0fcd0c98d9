// From the environment to a running service, and from a signal to a clean end. Nothing is assumed.

import { isDatabaseGone } from './api/errors.ts';
import { ConfigurationError, readConfig } from './config.ts';
import { SchemaOutdated } from './database/schema.ts';
import { createLog } from './log.ts';
import { startService } from './service.ts';

const STOP_WITHIN_MS = 9_500;

try {
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  const service = await startService(config, { log });
  log.info({ role: config.role, url: service.url }, 'ready');
  // A parent that started us learns in this way that we are ready.
  process.send?.({ ready: service.url });

  // Asked twice, by a terminal and its parent, say: still one stop.
  const stop = async (signal: string): Promise<void> => {
    log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    await service.stop().catch((error: unknown) => {
      log.error({ error }, 'could not stop cleanly');
      process.exit(1);
    });
    log.info('stopped');
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop('SIGTERM'));
  // A parent that is gone cannot stop us any more.
  process.once('disconnect', () => void stop('disconnect'));
  process.on('SIGINT', () => void stop('SIGINT'));
} catch (error) {
  console.error(sentenceFor(error));
  process.exit(1);
}

/** What an operator can act on, without a stack trace; anything unforeseen is shown whole. */
function sentenceFor(error: unknown): unknown {
  if (error instanceof ConfigurationError || error instanceof SchemaOutdated) return error.message;
  if (isDatabaseGone(error)) return 'The database at DATABASE_URL cannot be reached. Is it running?';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.startsWith('28') || code === '3D000')
    return 'The database at DATABASE_URL does not let us in: check its user, password and database name.';
  if (code === 'EADDRINUSE') return 'The port is taken. Set another with PORT.';
  return error;
}
