// The environment of one test file: a database, the sandbox and the service over real HTTP, and users who act in it.
import { randomBytes } from 'node:crypto';
import { freePort } from '../../harness/processes/free-port.ts';
import { sandboxSettings } from '../../harness/stack/settings.ts';
import { type SandboxOptions } from '../../sandbox/options.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { createTestClock, type TestClock } from './clock.ts';
import { createTestDatabase, databaseSettings } from './database.ts';
import { endsWithin } from './ends-within.ts';
import { startWatchedService, type WatchedService } from './watched-service.ts';

/** Five times what the sandbox promises: no test result depends on its end. */
const SANDBOX_STOPS_WITHIN_MS = 10_000;

export type World = {
  url: string;
  sandboxUrl: string;
  databaseUrl: string;
  clock: TestClock;
  service: WatchedService;
  webhookSecret: string;
  /** The environment that the service was started with, for starting another one next to it. */
  env: NodeJS.ProcessEnv;
  /** Makes the provider and both identity providers unreachable. */
  stopSandbox: () => Promise<void>;
  stop: () => Promise<void>;
};

export type WorldOptions = {
  /** Settings of the service that differ. */
  env?: NodeJS.ProcessEnv;
  sandbox?: Partial<SandboxOptions>;
  /** Gives the service another address for the provider than the sandbox's own. */
  upstream?: (sandboxUrl: string) => Promise<string>;
};

/** Starts a world. By default, the sandbox settles immediately. `useWorld` also stops it. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const clock = createTestClock();
  const [database, sandbox, port] = await Promise.all([
    createTestDatabase(),
    startSandbox({ settleMs: 0, activateMs: 0, log: () => undefined, ...options.sandbox }),
    options.env?.['PORT'] ?? freePort(),
  ]);
  const url = `http://127.0.0.1:${port}`;
  const webhookSecret = randomBytes(24).toString('base64url');
  const env = {
    ...sandboxSettings(sandbox.url),
    PORT: String(port),
    PUBLIC_BASE_URL: url,
    DATABASE_URL: database.url,
    DATABASE_POOL_SIZE: '10',
    WORKER_CONCURRENCY: '4',
    SESSION_SECRET: randomBytes(32).toString('base64url'),
    PII_ENCRYPTION_KEY: `test:${randomBytes(32).toString('base64')}`,
    SEARCH_KEY: randomBytes(32).toString('base64url'),
    WEBHOOK_SECRET: webhookSecret,
    LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
    ...databaseSettings(),
    ...(options.upstream && { PROVIDER_BASE_URL: await options.upstream(sandbox.url) }),
    ...options.env,
  };
  const service = await startWatchedService(env, clock);
  let sandboxStopped: Promise<void> | undefined;
  const stopSandbox = () => (sandboxStopped ??= sandbox.close());
  return {
    url,
    sandboxUrl: sandbox.url,
    databaseUrl: database.url,
    clock,
    service,
    webhookSecret,
    env,
    stopSandbox,
    stop: async () => {
      await service.stop();
      await endsWithin(SANDBOX_STOPS_WITHIN_MS, 'the sandbox', stopSandbox());
      // Searches for leaks, and fails if there is one.
      await database.drop();
    },
  };
}
