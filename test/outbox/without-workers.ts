// The set-up of tests whose workers are killed, stopped or paused. The world's own process serves HTTP only, and workers are
// separate processes (see processes.ts). The provider is reached through a proxy, and no call times out.
import { killProcesses } from '../support/process.ts';
import { startUpstreamProxy, type UpstreamProxy } from '../support/upstream-proxy.ts';
import { startWorld, type World } from '../support/world.ts';

/** Longer than any of these tests. */
const NO_TIMEOUT_MS = '110000';

export type WithoutWorkers = { world: World; proxy: UpstreamProxy; stop: () => Promise<void> };

export async function startWithoutWorkers(env: NodeJS.ProcessEnv = {}): Promise<WithoutWorkers> {
  const started = Promise.withResolvers<UpstreamProxy>();
  const world = await startWorld({
    env: { ROLE: 'api', PROVIDER_TIMEOUT_MS: NO_TIMEOUT_MS, ...env },
    upstream: async (sandboxUrl) => {
      const proxy = await startUpstreamProxy(sandboxUrl);
      started.resolve(proxy);
      return proxy.url;
    },
  });
  const proxy = await started.promise;
  return {
    world,
    proxy,
    stop: async () => {
      await killProcesses();
      await world.stop();
      await proxy.close();
    },
  };
}
