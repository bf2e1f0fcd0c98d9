// The world of a test file: it starts before the first test and stops after the last one.
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { Provider } from '../../src/provider/port.ts';
import { type Person, verified } from './person.ts';
import type { TestApp } from './test-app.ts';
import { startUpstreamProxy, type UpstreamProxy } from './upstream-proxy.ts';
import { startWorld, type World, type WorldOptions } from './world.ts';

type Options = WorldOptions & {
  /** The service reaches the provider through `proxy`. */
  proxy?: true;
  /** `ada` is a verified person. */
  verified?: true;
  /** `ada` is a verified person with this deposit, such as `500.00`. */
  deposit?: string;
};

/**
 * Gives all tests of the file one world. Its parts are empty until the tests begin.
 * @returns the world, its service's `app` and `db` as they are now, the service's own `provider`, which it has again after each test, the
 * `proxy` if it is asked for, and `ada` if she is verified or has a deposit.
 */
export function useWorld({ proxy: hasProxy, verified: isVerified, deposit, ...options }: Options = {}): {
  world: World;
  app: () => TestApp;
  db: () => TestApp['db'];
  provider: Provider<'background'>;
  proxy: UpstreamProxy;
  ada: Person;
} {
  const parts = {
    world: {} as World,
    provider: {} as Provider<'background'>,
    proxy: {} as UpstreamProxy,
    ada: {} as Person,
  };
  const { world, provider, proxy, ada } = parts;
  const upstream = async (sandboxUrl: string): Promise<string> =>
    Object.assign(proxy, await startUpstreamProxy(sandboxUrl)).url;
  let first: TestApp | null = null;
  beforeAll(async () => {
    Object.assign(world, await startWorld({ ...options, ...(hasProxy && { upstream }) }));
    first = world.service.app;
    Object.assign(provider, first.provider);
    if (deposit !== undefined) Object.assign(ada, await verified(world, { deposit }));
    else if (isVerified) Object.assign(ada, await verified(world));
  });
  afterEach(() => {
    // A test may have started the service again, which then has a provider of its own.
    if (first !== null) first.provider = provider;
  });
  afterAll(async () => {
    // A world that did not start has already failed the file.
    await world.stop?.();
    await proxy.close?.();
  });
  return { ...parts, app: () => world.service.app, db: () => world.service.app.db };
}
