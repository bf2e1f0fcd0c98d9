// The address of each call to the provider contains our ids and the provider's ids. A hostile id stays one part of the path, or one
// value of the query, whatever it contains.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unattended } from '../../src/provider/caller.ts';
import { connectProvider } from '../../src/provider/client.ts';
import type { Provider, ProviderConnection } from '../../src/provider/port.ts';

const addresses: string[] = [];
let server: Server;
let connection: ProviderConnection;
let provider: Provider;

beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    addresses.push(url);
    response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  connection = connectProvider({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`,
    username: 'user',
    passwords: ['password'],
    companyId: 'company',
    concurrency: 8,
    timeoutMs: 10_000,
    interactiveWaitMs: 2_000,
    interactiveTimeoutMs: 5_000,
    callbackUrl: 'http://127.0.0.1:9/',
    observer: { called: () => undefined, opened: () => undefined, closed: () => undefined },
  });
  provider = connection.for(unattended);
});
afterAll(async () => {
  await connection.close();
  server.closeAllConnections();
  server.close();
});

type Calls = [string, (id: string) => Promise<unknown>][];

const inPath: Calls = [
  ['getOwner', (id) => provider.getOwner(id)],
  ['getAccount', (id) => provider.getAccount(id)],
  ['getMovement', (id) => provider.getMovement('account', id)],
  ['getTransfer', (id) => provider.getTransfer(id)],
  ['getPayout', (id) => provider.getPayout(id)],
];
const inQuery: Calls = [
  ['findOwner', (id) => provider.findOwner(id)],
  ['findAccount', (id) => provider.findAccount(id)],
  ['findTransfer', (id) => provider.findTransfer(id)],
  ['findPayout', (id) => provider.findPayout(id)],
];
const hostile = [
  '../owners',
  '..%2f..',
  'a/b',
  'a?b=c',
  'a&b=c',
  'a#b',
  'a%00b',
  'a b\r\nhost: elsewhere',
  '//elsewhere.example',
  'javascript:alert(1)',
  'é\u202e',
];

const HARMLESS = 'harmless';

/** The addresses that the call requests with a harmless id and with the hostile one. */
async function addressesFor(call: (id: string) => Promise<unknown>, id: string): Promise<[URL, URL]> {
  addresses.length = 0;
  // The server has no resources. It refuses each call, which does not matter here.
  await call(HARMLESS).catch(() => undefined);
  await call(id).catch(() => undefined);
  const [model, seen] = addresses.map((url) => new URL(`http://provider.example${url}`));
  if (!model || !seen || addresses.length !== 2) throw new Error(`asked for ${addresses.join(' and ')}`);
  return [model, seen];
}

describe.each(inPath)('the address of %s', (_operation, call) => {
  test.each(hostile)('the hostile id %j stays one part of the path', async (id) => {
    const [model, seen] = await addressesFor(call, id);
    expect([seen.host, seen.search, seen.hash]).toEqual(['provider.example', '', '']);
    expect(seen.pathname.split('/').map(decodeURIComponent)).toEqual(
      model.pathname.split('/').map((part) => (part === HARMLESS ? id : part)),
    );
  });
});

test.each(inPath)(
  '%s is not sent with an id that no encoding can keep in one part of the path',
  async (_operation, call) => {
    addresses.length = 0;
    for (const id of ['', '.', '..']) await expect(call(id)).rejects.toThrow('empty or dots');
    expect(addresses).toEqual([]);
  },
);

describe.each(inQuery)('the address of %s', (_operation, call) => {
  test.each(hostile)('the hostile id %j stays one value of the query', async (id) => {
    const [model, seen] = await addressesFor(call, id);
    expect([seen.host, seen.pathname, seen.hash]).toEqual(['provider.example', model.pathname, '']);
    expect([...seen.searchParams]).toEqual(
      [...model.searchParams].map(([name, value]) => [name, value === HARMLESS ? id : value]),
    );
  });
});
