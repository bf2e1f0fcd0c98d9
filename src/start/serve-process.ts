// Runs the process: from the environment to a running service, and from a signal to a clean end.

import { readConfig } from './config.ts';
import { createLog } from './log.ts';
import { openLogOutput } from './log-output.ts';
import { redirectConsole } from './redirect-console.ts';
import { startService } from './start-service.ts';
import { startupErrorMessage } from './startup-error.ts';
import { buildOf } from './version.ts';

/** The time limit of a stop, in addition to the configured delay. */
const STOP_WITHIN_MS = 9_300;
/** How long the process waits for a reader to read the last log lines. */
const LAST_LINES_MS = 300;

try {
  const config = readConfig(process.env);
  const output = openLogOutput(process.stdout);
  const warnings = openLogOutput(process.stderr);
  const log = createLog(config.logLevel, output);
  const service = await startService(config, { log });
  redirectConsole(log);

  const end = async (code: number): Promise<never> => {
    await output.drained(LAST_LINES_MS);
    process.exit(code);
  };
  // Several stop requests, for example from a terminal and its parent process, are one stop.
  const stop = async (reason: string, code = 0): Promise<void> => {
    log.info({ code: 'service.stopping', reason }, 'the process stops');
    // A supervisor that sends SIGTERM waits, so load balancers get time to notice. No supervisor
    // waits after any other stop request.
    const delayMs = reason === 'SIGTERM' && service.url !== null ? config.shutdownDelayMs : 0;
    setTimeout(() => void end(1), delayMs + STOP_WITHIN_MS).unref();
    await service.stop(delayMs).catch((error: unknown) => {
      log.error({ code: 'service.stop_failed', error }, 'the process could not stop cleanly');
      return end(1);
    });
    log.info({ code: 'service.stopped' }, 'the process has stopped');
    await end(code);
  };
  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));

  // Log this only after the signal handlers are set, because a stop request may follow immediately.
  log.info(
    { code: 'service.ready', ...buildOf(config), role: config.role, url: service.url },
    'the process is ready',
  );
  // Tell a parent process that started this one that it is ready.
  if (process.connected) process.send?.({ ready: service.url });

  // A parent process that is gone cannot send a stop request.
  process.once('disconnect', () => void stop('disconnect'));
  if (process.send !== undefined && !process.connected) void stop('disconnect');
  // The service must not run without logs. It exits with 1, so that a supervisor restarts it with an output.
  void Promise.race([output.lost, warnings.lost]).then(() => stop('output lost', 1));
} catch (error) {
  // Print an unforeseen error completely.
  console.error(startupErrorMessage(error) ?? error);
  process.exit(1);
}
