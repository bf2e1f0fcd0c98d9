// One connection that sends many requests without awaiting an answer: what an honest client receives, and what an attacker
// leaves behind.
import { existsSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../harness/processes/free-port.ts';
import { MAX_IN_PROGRESS } from '../../src/api/connections.ts';
import { type Person, signUp } from '../support/person.ts';
import { killProcesses, type ServiceProcess, startReadyProcess } from '../support/process.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';
import { openSocket, say } from './raw.ts';
import { reportsUsage, usageOf } from './usage.ts';

const MANY = 900;
/** The limits leave room for connections to the database that are opened and caches that are filled meanwhile. */
const FEW_DESCRIPTORS = 30;
const LITTLE_MIB = 10;

let ada: Person;
let service: ServiceProcess;
let api: { url: string };

const { world } = useWorld();
beforeAll(async () => {
  ada = await signUp(world);
  const port = await freePort();
  api = { url: `http://127.0.0.1:${port}` };
  service = await startReadyProcess({
    ...world.env,
    ROLE: 'api',
    PORT: String(port),
    NODE_OPTIONS: reportsUsage,
  });
});
afterAll(async () => {
  await killProcesses();
});

const get = (path: string, ...headers: string[]): string =>
  [`GET ${path} HTTP/1.1`, 'host: x', ...headers, '', ''].join('\r\n');
const byAda = () => `authorization: Bearer ${ada.token}`;

test.each([
  ['the script of the reference', '/docs/assets/reference.js', []],
  ['the packed script of the reference', '/docs/assets/reference.js', [() => 'accept-encoding: gzip']],
  ['the page of the reference', '/docs', []],
  ['a picture', '/docs/diagrams/payment.svg', []],
  ['the contract', '/openapi.json', []],
  ['the health', '/health', []],
  ['a user without a session', '/me', []],
  ['a user with a session', '/me', [byAda]],
])(
  'a client that sends 900 requests for %s, reads nothing and disconnects leaves no descriptor and no memory behind',
  async (_what, path, headers) => {
    const requests = get(path, ...headers.map((one) => one())).repeat(MANY);
    const attack = async (): Promise<void> => {
      const socket = (await openSocket(api)).pause();
      socket.on('error', () => undefined);
      await new Promise((resolve) => socket.write(requests, resolve));
      // This request is answered, so the requests before it on the other connection have begun.
      expect((await fetch(`${api.url}/health`)).status).toBe(200);
      socket.destroy();
    };
    await attack();
    const [descriptors, { heldMiB }] = [openDescriptors(), await usageOf(service.child)];
    for (let round = 0; round < 5; round += 1) await attack();
    await until(
      async () => openDescriptors(),
      (count) => count <= descriptors + FEW_DESCRIPTORS,
    );
    await until(
      () => usageOf(service.child),
      (usage) => usage.heldMiB <= heldMiB + LITTLE_MIB,
    );
    const me = await fetch(`${api.url}/me`, { headers: { authorization: `Bearer ${ada.token}` } });
    expect(me.status).toBe(200);
  },
);

/** The number of open descriptors. If the system shows none, only memory is compared. */
const openDescriptors = (): number => {
  const folder = `/proc/${service.child.pid}/fd`;
  return existsSync(folder) ? readdirSync(folder).length : 0;
};

const idsIn = (heard: string): string[] =>
  [...heard.matchAll(/^X-Request-Id: (number-\d+)\r$/gm)].map(([, id]) => id ?? '');

describe('a client that awaits no answer before its next request', () => {
  const paths = ['/health', '/docs/assets/reference.js', '/me', '/openapi.json', '/nowhere', '/docs'];
  const requests = (count: number): string =>
    Array.from({ length: count }, (_, at) =>
      get(paths[at % paths.length] ?? '/health', 'accept-encoding: gzip', `x-request-id: number-${at}`),
    ).join('');
  const expected = Array.from({ length: MAX_IN_PROGRESS }, (_, at) => `number-${at}`);

  test('a client that sends 16 requests without awaiting an answer receives the answers in order', async () => {
    const heard = await say(api, requests(MAX_IN_PROGRESS), (so) => idsIn(so).length >= MAX_IN_PROGRESS);
    expect(MAX_IN_PROGRESS).toBe(16);
    expect(idsIn(heard)).toEqual(expected);
  });

  test('a client may send 16 more requests once it has the answers to 16', async () => {
    let rounds = 1;
    const socket = await openSocket(api);
    let heard = '';
    socket.on('data', (chunk: Buffer) => {
      heard += chunk.toString('latin1');
    });
    for (; rounds <= 3; rounds += 1) {
      socket.write(requests(MAX_IN_PROGRESS));
      await until(
        async () => idsIn(heard).length,
        (count) => count === rounds * MAX_IN_PROGRESS,
      );
    }
    expect(idsIn(heard)).toEqual([...expected, ...expected, ...expected]);
    socket.destroy();
  });

  test('a client is disconnected at the 17th request without an answer, and nothing of the rest is executed', async () => {
    const { metrics } = world.service.app;
    const counted = async (): Promise<number> => {
      const counts = [
        ...(await metrics.registry.metrics()).matchAll(
          /^ponte_http_requests_total\{operation="getHealth",.*\} (\d+)$/gm,
        ),
      ];
      return counts.reduce((sum, [, count]) => sum + Number(count), 0);
    };
    const before = await counted();
    expect(await say(world, get('/health').repeat(MANY))).toBe('');
    expect((await fetch(`${world.url}/health`)).status).toBe(200);
    await until(counted, (count) => count > before);
    expect((await counted()) - before).toBeLessThanOrEqual(MAX_IN_PROGRESS + 1);
  });

  test('a client is also disconnected if each of its requests expects what cannot be met', async () => {
    const heard = await say(world, get('/health', 'expect: nonsense').repeat(MANY));
    expect(heard.match(/HTTP\/1\.1 417/g)?.length ?? 0).toBeLessThanOrEqual(MAX_IN_PROGRESS);
  });
});
