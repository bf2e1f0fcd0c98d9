// `npm run serve`: the production process. Its configuration comes from the environment, and nothing is assumed.

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

  const stop = async (signal: string): Promise<void> => {
    log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    await service.stop();
    log.info('stopped');
    process.exit(0);
  };
  process.once('SIGTERM', () => void stop('SIGTERM'));
  process.once('SIGINT', () => void stop('SIGINT'));
} catch (error) {
  console.error(sentenceFor(error));
  process.exit(1);
}

/** What an operator can act on, without a stack trace; anything unforeseen is shown whole. */
function sentenceFor(error: unknown): unknown {
  if (error instanceof ConfigurationError || error instanceof SchemaOutdated) return error.message;
  if (isDatabaseGone(error)) return 'The database at DATABASE_URL cannot be reached. Is it running?';
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
    return 'The port is taken. Set another with PORT.';
  return error;
}
