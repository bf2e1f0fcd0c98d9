// A process has a bounded number of connections. At the bound, the one that is worth least is closed for the newcomer, and one address
// cannot take them all.
import type { Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createClientAddresses, networkOf } from '../../src/api/client-address.ts';
import { startBareApi } from '../support/bare-api.ts';
import { type OpenConnection, openConnection } from '../support/open-connection.ts';
import { until } from '../support/until.ts';

const OPERATION = '/bank-details';
let api: Awaited<ReturnType<typeof startBareApi>>;
let noted: string[];
let running: number;
let letEnd: () => void;

/** Starts the API. Its handlers run until `letEnd`. */
async function start(connections: number, trustedProxies: string[] = []): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  [noted, running, letEnd] = [[], 0, resolve];
  api = await startBareApi(
    async () => {
      running += 1;
      await promise;
      return { status: 200, body: [] };
    },
    { limits: { connections }, trustedProxies, noted: (what) => void noted.push(what) },
  );
}
afterEach(async () => {
  letEnd();
  await api.stop();
});

/** @param from an address of this machine. */
async function open(from: string): Promise<OpenConnection> {
  const connection = openConnection(api.url, from);
  await new Promise((resolve) => connection.socket.once('connect', resolve));
  return connection;
}

const requestTo = (path: string, ...headers: string[]): string =>
  [`GET ${path} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n');

/** A connection whose request runs. */
async function busy(from: string, ...headers: string[]): Promise<OpenConnection> {
  const before = running;
  const client = await open(from);
  client.socket.write(requestTo(OPERATION, ...headers));
  await until(
    async () => running > before || client.isClosed(),
    (isSettled) => isSettled,
  );
  return client;
}

/** A connection whose request was answered. */
async function idle(from: string): Promise<OpenConnection> {
  const client = await open(from);
  client.socket.write(requestTo('/nowhere'));
  await until(
    async () => client.received(),
    (text) => text.includes('not_found'),
  );
  return client;
}

/** A connection whose headers do not end. */
async function unfinished(from: string): Promise<OpenConnection> {
  const client = await open(from);
  client.socket.write('GET / HTTP/1.1\r\n');
  return client;
}

/** A connection that is asked for a body, although its caller is not known. */
async function unread(from: string): Promise<OpenConnection> {
  const client = await open(from);
  const head = ['Content-Type: application/json', 'Content-Length: 500', 'Expect: 100-continue'];
  client.socket.write(requestTo('/auth/session', ...head).replace('GET', 'POST'));
  await until(
    async () => client.received(),
    (text) => text.includes('100 Continue'),
  );
  return client;
}

const noting = (...what: string[]) =>
  until(
    async () => noted,
    (seen) => seen.length >= what.length,
  ).then((seen) => expect(seen).toEqual(what));

test('at the bound, unfinished headers are closed first, then an unauthenticated body, then an idle connection, and never a request that runs', async () => {
  await start(8);
  const idles = [await idle('127.0.0.2'), await idle('127.0.0.3')];
  const body = await unread('127.0.0.2');
  const headers = await unfinished('127.0.0.3');
  const runs = [];
  for (const from of ['127.0.0.4', '127.0.0.4', '127.0.0.4', '127.0.0.4']) runs.push(await busy(from));
  for (const from of ['127.0.0.5', '127.0.0.5', '127.0.0.5', '127.0.0.5']) runs.push(await busy(from));
  await noting('closed headers', 'closed body', 'closed idle', 'closed idle');
  expect([headers, body, ...idles].every(({ isClosed }) => isClosed())).toBe(true);
  const late = await busy('127.0.0.6');
  await noting('closed headers', 'closed body', 'closed idle', 'closed idle', 'refused');
  expect([late.isClosed(), runs.some(({ isClosed }) => isClosed())]).toEqual([true, false]);
});

test('of several idle connections, the oldest is closed', async () => {
  await start(8);
  const [first, second] = [await idle('127.0.0.2'), await idle('127.0.0.3')];
  for (const from of ['127.0.0.4', '127.0.0.4', '127.0.0.4', '127.0.0.5', '127.0.0.5', '127.0.0.5'])
    await busy(from);
  await busy('127.0.0.6');
  await noting('closed idle');
  expect([first.isClosed(), second.isClosed()]).toEqual([true, false]);
});

test('one address has half of the connections: beyond it, its own are closed', async () => {
  await start(4);
  const other = await idle('127.0.0.3');
  const own = [await idle('127.0.0.2'), await busy('127.0.0.2')];
  const next = await busy('127.0.0.2');
  await noting('closed idle');
  const refused = await busy('127.0.0.2');
  await noting('closed idle', 'refused');
  expect([other, ...own, next, refused].map(({ isClosed }) => isClosed())).toEqual([
    false,
    true,
    false,
    false,
    true,
  ]);
});

test('an idle connection of a trusted proxy is never closed', async () => {
  await start(2, ['127.0.0.0/8']);
  const [used, unused] = [await idle('127.0.0.2'), await open('127.0.0.2')];
  const late = await busy('127.0.0.2');
  await noting('refused');
  expect([used.isClosed(), unused.isClosed(), late.isClosed()]).toEqual([false, false, true]);
});

const through = (address: string) => busy('127.0.0.2', `X-Forwarded-For: 198.51.100.1, ${address}`);

test('a trusted proxy’s connection stays idle when the rest of a body arrives after its answer', async () => {
  await start(2, ['127.0.0.0/8']);
  const client = await open('127.0.0.2');
  client.socket.write(requestTo('/nowhere', 'Content-Length: 500').replace('GET', 'POST'));
  await until(
    async () => client.received(),
    (text) => text.includes('not_found'),
  );
  client.socket.write(' '.repeat(500));
  await idle('127.0.0.2');
  await busy('127.0.0.2');
  await noting('refused');
  expect(client.isClosed()).toBe(false);
});

test('requests through a trusted proxy count by the address that it forwards', async () => {
  await start(4, ['127.0.0.2/32']);
  const [one, two] = [await through('203.0.113.7'), await through('203.0.113.7')];
  const three = await through('203.0.113.7');
  const other = await through('203.0.113.8');
  await noting('refused');
  expect([one, two, three, other].map(({ isClosed }) => isClosed())).toEqual([false, false, true, false]);
});

test('an unlisted peer counts by its own address, whatever it forwards, and is named once', async () => {
  await start(4, ['10.0.0.0/8']);
  for (const address of ['203.0.113.7', '203.0.113.8', '203.0.113.9'])
    await busy('127.0.0.2', `X-Forwarded-For: ${address}`);
  await noting('unlisted 127.0.0.2', 'refused');
  expect(running).toBe(2);
});

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:0DB8::6', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('the network of %s is %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test.each([
  ['the last entry that is no proxy', '10.0.0.9', '198.51.100.1, 203.0.113.7, 10.0.0.8', '203.0.113.7'],
  ['the proxy itself without an entry', '10.0.0.9', undefined, '10.0.0.9'],
  ['the proxy itself if the entry is no address', '10.0.0.9', 'unknown', '10.0.0.9'],
  ['the proxy itself if all entries are proxies', '10.0.0.9', '10.0.0.7, 10.0.0.8', '10.0.0.9'],
  ['a proxy that is shown as IPv6', '::ffff:10.0.0.9', '2001:db8::1', '2001:db8:0:0::/64'],
  ['a proxy by IPv6', 'fd00::9', '203.0.113.7', '203.0.113.7'],
  ['an unlisted peer, whatever it forwards', '192.0.2.1', '203.0.113.7', '192.0.2.1'],
])('the address of a client is %s', (_title, remoteAddress, forwarded, expected) => {
  const addresses = createClientAddresses(['10.0.0.0/8', 'fd00::/8'], () => undefined);
  const socket = { remoteAddress } as Socket;
  expect(addresses.of({ socket, headers: { 'x-forwarded-for': forwarded } })).toBe(expected);
});
