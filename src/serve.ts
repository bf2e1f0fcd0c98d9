// From the environment to a running service, and from a signal to a clean end. Nothing is assumed.

import { readConfig } from './config.ts';
import { createLog } from './log.ts';
import { logConsole } from './log-console.ts';
import { startService } from './service.ts';
import { startFault } from './start-fault.ts';

const STOP_WITHIN_MS = 9_500;

try {
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  const service = await startService(config, { log });
  logConsole(log);
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
  // Anything unforeseen is shown whole.
  console.error(startFault(error) ?? error);
  process.exit(1);
}
