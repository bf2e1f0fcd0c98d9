// Starts the service as every test does: everything that it logs and counts is captured (see leak-watch.ts), and its secrets are
// marked.

import { readConfig } from '../../src/start/config.ts';
import { type Service, startService } from '../../src/start/start-service.ts';
import type { TestClock } from './clock.ts';
import { capture, markSecrets, watchedLog } from './leak-watch.ts';
import { type TestApp, testAppOf } from './test-app.ts';

export type WatchedService = Service & { app: TestApp };

/** @param env the whole environment of the service. Its LOG_LEVEL is for processes. */
export async function startWatchedService(env: NodeJS.ProcessEnv, clock: TestClock): Promise<WatchedService> {
  markSecrets(env);
  const service = await startService(readConfig(env), {
    log: watchedLog(),
    clock,
    databaseClock: clock.database,
  });
  const stop = async (): Promise<void> => {
    capture('the metrics', await service.app.metrics.registry.metrics());
    await service.stop();
  };
  return { ...service, app: testAppOf(service.app), stop };
}
