// The provider changes our password while calls run. With both passwords configured no call fails, and no call is executed twice.
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { unattended } from '../../src/provider/caller.ts';
import { connectProvider } from '../../src/provider/client.ts';
import type { ProviderConnection } from '../../src/provider/port.ts';
import { headersFor, startUpstream, type Upstream } from '../sandbox/support.ts';
import { endOf } from './support.ts';

const USER = 'ponte';
const OLD = 'old password';
const NEW = 'new password: ü';

let upstream: Upstream;
/** Stands before the sandbox, and accepts the passwords in `accepted` only. */
let gate: Server;
let accepted: string[];
/** The password of each request, in order. */
let tried: string[];
const connections: ProviderConnection[] = [];

beforeAll(async () => {
  upstream = await startUpstream();
  gate = createServer((request, response) => {
    const [, basic = ''] = request.headers.authorization?.split(' ') ?? [];
    const password = Buffer.from(basic, 'base64').toString().replace(`${USER}:`, '');
    tried.push(password);
    if (!accepted.includes(password)) {
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"code":"unauthorized"}');
      return;
    }
    const body = request.method === 'GET' ? null : request;
    const init = { method: request.method, headers: headersFor(upstream), body, duplex: 'half' };
    fetch(`${upstream.url}${request.url}`, init as unknown as RequestInit)
      .then(async (answer) => response.writeHead(answer.status).end(await answer.text()))
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => {
  tried = [];
});
afterEach(async () => {
  for (const connection of connections.splice(0)) await connection.close();
});
afterAll(async () => {
  gate.closeAllConnections();
  gate.close();
  await upstream.close();
});

function connect(...passwords: string[]) {
  const connection = connectProvider({
    baseUrl: `http://127.0.0.1:${(gate.address() as AddressInfo).port}`,
    username: USER,
    passwords,
    companyId: upstream.companyId,
    concurrency: 8,
    timeoutMs: 10_000,
    interactiveWaitMs: 2_000,
    interactiveTimeoutMs: 5_000,
    callbackUrl: 'http://127.0.0.1:9/',
    observer: { called: () => undefined, opened: () => undefined, closed: () => undefined },
  });
  connections.push(connection);
  return connection.for(unattended);
}

/** Looks up something that does not exist. */
const look = (provider: ReturnType<typeof connect>): Promise<string> =>
  endOf(provider.findPayout(randomUUID()));

test('after the provider has changed the password, the other one is tried once and remembered', async () => {
  const provider = connect(OLD, NEW);
  accepted = [OLD];
  expect(await look(provider)).toBe('done');
  accepted = [NEW];
  expect([await look(provider), await look(provider), await look(provider)]).toEqual([
    'done',
    'done',
    'done',
  ]);
  expect(tried).toEqual([OLD, OLD, NEW, NEW, NEW]);
});

test('if the provider goes back to the former password, so do the calls', async () => {
  const provider = connect(OLD, NEW);
  accepted = [NEW];
  expect(await look(provider)).toBe('done');
  accepted = [OLD];
  expect([await look(provider), await look(provider)]).toEqual(['done', 'done']);
  expect(tried).toEqual([OLD, NEW, NEW, OLD, OLD]);
});

test('while the provider accepts both passwords, only the first one is used', async () => {
  const provider = connect(OLD, NEW);
  accepted = [OLD, NEW];
  expect([await look(provider), await look(provider)]).toEqual(['done', 'done']);
  expect(tried).toEqual([OLD, OLD]);
});

test('if the provider accepts neither password, a call tries both once, and its outcome is a 401 that created nothing', async () => {
  const provider = connect(OLD, NEW);
  accepted = [];
  await expect(provider.findPayout(randomUUID())).rejects.toMatchObject({ status: 401, mayHaveActed: false });
  expect(tried).toEqual([OLD, NEW]);
});

test('with one password, a call that is answered 401 is not repeated', async () => {
  const provider = connect(OLD);
  accepted = [NEW];
  await expect(provider.findPayout(randomUUID())).rejects.toMatchObject({ status: 401 });
  expect(tried).toEqual([OLD]);
});

test('a creation that is repeated with the other password creates one object', async () => {
  const provider = connect(OLD, NEW);
  accepted = [NEW];
  const handle = randomUUID();
  const { providerRef } = await provider.createOwner({ handle });
  expect(tried).toEqual([OLD, NEW]);
  const found = await provider.findOwner(handle);
  expect(found).toMatchObject({ providerRef });
  expect(found).not.toHaveProperty('others');
});

test('concurrent calls at the moment of the change all succeed', async () => {
  const provider = connect(OLD, NEW);
  accepted = [NEW];
  const ends = await Promise.all(Array.from({ length: 6 }, () => look(provider)));
  expect(ends).toEqual(Array.from({ length: 6 }, () => 'done'));
  tried = [];
  expect(await look(provider)).toBe('done');
  expect(tried).toEqual([NEW]);
});
