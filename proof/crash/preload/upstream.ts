// The points of the network: every call to the provider (see named/exchange.ts), and every fetch of an identity provider's keys.
import contract from '../../../openapi/generated/provider.json' with { type: 'json' };
import { actor } from './actor.ts';
import { reach } from './points.ts';
import { routesOf } from './routes.ts';

const base = new URL(process.env['PROVIDER_BASE_URL'] ?? 'http://localhost');
const operationOf = routesOf(contract.paths, base.pathname.replace(/\/+$/, ''));

export const aroundCall = <Reply>(
  { method, path }: { method: string; path: string },
  ask: () => Promise<Reply>,
): Promise<Reply> => around(operationOf(method, path) ?? `${method} ?`, ask);

/** From now on every fetch of keys has its points. */
export function watchKeyFetches(): void {
  const plain = globalThis.fetch;
  globalThis.fetch = (...args) => around('fetch of identity keys', () => plain(...args));
}

async function around<Answer>(call: string, ask: () => Promise<Answer>): Promise<Answer> {
  const what = `${call} (${actor()})`;
  reach(`before ${what}`);
  try {
    return await ask();
  } finally {
    // The point is also reached without an answer.
    reach(`after ${what}`);
  }
}
