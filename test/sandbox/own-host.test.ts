// The sandbox answers only under its own names, so that no page of another site can read or use it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { exchange } from '../api-security/raw.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox({
    port: 0,
    data: ':memory:',
    baseUrl: 'http://sandbox.example:4010',
    log: () => undefined,
  });
});
afterAll(() => sandbox.close());

const paths = ['/', '/health', '/console', '/identity/a/jwks.json', '/owners'];
const statusesFor = (host: string): Promise<number[]> =>
  Promise.all(
    paths.map(async (path) => (await exchange(sandbox, 'GET', path, { headers: { host } })).status),
  );

test.each(['localhost', 'localhost:1', '127.0.0.1:4010', '[::1]:4010', 'sandbox:4010', 'sandbox.example'])(
  'a request to %s is answered',
  async (host) => {
    expect(await statusesFor(host)).not.toContain(421);
  },
);

test.each([
  'attacker.example',
  '127.0.0.1.attacker.example',
  'localhost.attacker.example:4010',
  'x@attacker.example',
  '192.0.2.1',
])('a request to %s is refused', async (host) => {
  expect(await statusesFor(host)).toEqual(paths.map(() => 421));
});
