// The points of the network: every call to the provider, and every fetch of an identity provider's keys.
import { Dispatcher, Pool } from 'undici';
import contract from '../../../openapi/generated/provider.json' with { type: 'json' };
import { actor } from './actor.ts';
import { reach } from './points.ts';
import { routesOf } from './routes.ts';

type Request = { method?: string; path?: string };

export function watchUpstream(): void {
  const base = new URL(process.env['PROVIDER_BASE_URL'] ?? 'http://localhost');
  const operationOf = routesOf(contract.paths, base.pathname.replace(/\/+$/, ''));
  // Called with the dispatcher it belongs to.
  // oxlint-disable-next-line typescript/unbound-method
  const request = Dispatcher.prototype.request as (...args: unknown[]) => Promise<unknown>;
  const watched = function watched(this: Dispatcher, ...args: unknown[]): Promise<unknown> {
    const ask = () => Reflect.apply(request, this, args) as Promise<unknown>;
    const [{ method, path }] = args as [Request];
    return this instanceof Pool ? around(operationOf(method, path) ?? `${method} ?`, ask) : ask();
  };
  Dispatcher.prototype.request = watched as typeof Dispatcher.prototype.request;

  const plain = globalThis.fetch;
  globalThis.fetch = (...args) => around('fetch of identity keys', () => plain(...args));
}

async function around<Answer>(call: string, ask: () => Promise<Answer>): Promise<Answer> {
  const what = `${call} (${actor()})`;
  reach(`before ${what}`);
  try {
    return await ask();
  } finally {
    // Without an answer, too.
    reach(`after ${what}`);
  }
}
