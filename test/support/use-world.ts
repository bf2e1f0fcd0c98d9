// The tests of a file that share a world. Each takes what it needs: `test('...', async ({ world, proxy, ada }) => ...)`.
import { test } from 'vitest';
import { verified } from './person.ts';
import { startUpstreamProxy, type UpstreamProxy } from './upstream-proxy.ts';
import { startWorld, type World } from './world.ts';

type Options = {
  /** Settings of the service that differ. */
  env?: NodeJS.ProcessEnv;
  /** The deposit that `ada` has before the first test, such as `500.00`. Without it, she is verified when a test first needs her. */
  deposit?: string;
};

/**
 * @returns a `test` with a world whose service reaches the provider through a proxy, and `ada`, a verified person. All tests of the
 * file share them. The world starts before the first test and stops after the last one.
 */
export const useWorld = (options: Options = {}) =>
  test
    .extend('options', { scope: 'file' }, options)
    .extend('started', { scope: 'file', auto: true }, async ({ options: { env = {} } }, { onCleanup }) => {
      const { promise, resolve } = Promise.withResolvers<UpstreamProxy>();
      const world = await startWorld({
        env,
        upstream: async (sandboxUrl) => {
          const proxy = await startUpstreamProxy(sandboxUrl);
          resolve(proxy);
          return proxy.url;
        },
      });
      const proxy = await promise;
      onCleanup(async () => {
        await world.stop();
        await proxy.close();
      });
      return { world, proxy };
    })
    .extend('world', { scope: 'file' }, ({ started }): World => started.world)
    .extend('proxy', { scope: 'file' }, ({ started }): UpstreamProxy => started.proxy)
    .extend(
      'ada',
      { scope: 'file', auto: options.deposit !== undefined },
      ({ world, options: { deposit } }) => verified(world, deposit === undefined ? {} : { deposit }),
    );
