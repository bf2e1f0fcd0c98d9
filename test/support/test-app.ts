// The service's app as tests use it: with background calls to the provider, which a test can replace for every caller.
import { unattended } from '../../src/provider/caller.ts';
import type { Provider } from '../../src/provider/port.ts';
import type { App } from '../../src/start/app.ts';

/** Setting `provider` replaces each call that differs from the real one, whoever makes it. Set the former value to end that. */
export type TestApp = App & { get provider(): Provider<'background'>; set provider(provider: Provider) };

export function testAppOf(app: App): TestApp {
  const connection = app.providerConnection;
  const real = connection.for(unattended);
  let present = real;
  let replaced: Partial<Provider> = {};
  app.providerConnection = {
    ...connection,
    for: (caller) => ({ ...connection.for(caller), ...replaced, priority: caller.priority }),
  };
  return Object.defineProperty(app, 'provider', {
    enumerable: true,
    get: () => present,
    set: (provider: Provider) => {
      present = { ...provider, priority: real.priority };
      if (provider === real) present = real;
      const calls = Object.entries(present).filter(([name, call]) => call !== real[name as keyof Provider]);
      replaced = Object.fromEntries(calls);
    },
  }) as TestApp;
}
