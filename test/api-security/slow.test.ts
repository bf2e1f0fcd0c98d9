// Slow connections: many of them next to an honest client, and each only for as long as the limits allow.
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHttpServer, defaultTimeouts } from '../../src/api/timeouts.ts';
import { type Person, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { startWorld, type World } from '../support/world.ts';
import { beside } from './beside.ts';
import { openSocket } from './raw.ts';

const MANY = 300;

/** The way a connection is slow: how it begins, and what it then sends repeatedly. */
const manners: [what: string, begins: string, goesOn: string][] = [
  ['say nothing', '', ''],
  ['do not finish their headers', 'GET /me HTTP/1.1\r\nhost: x\r\n', 'x: 1\r\n'],
  ['do not finish their address', 'GET /', 'a'],
  [
    'do not finish their body',
    'POST /auth/session HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n{',
    ' ',
  ],
  [
    'send their body in tiny pieces',
    'POST /auth/session HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
    '1\r\n \r\n',
  ],
];

describe('many connections', () => {
  let world: World;
  let ada: Person;

  beforeAll(async () => {
    world = await startWorld();
    ada = await verified(world, { deposit: '10.00' });
  });
  afterAll(() => world.stop());

  test.each(manners)('many connections that %s do not delay other clients', async (_what, begins, goesOn) => {
    const sockets = await Promise.all(Array.from({ length: MANY }, () => slow(world, begins)));
    const crumbs = setInterval(() => sockets.forEach((socket) => socket.write(goesOn)), 100);
    let rounds = 0;
    const { served } = await beside(ada, () =>
      until(
        async () => (rounds += 1),
        (seen) => seen > 15,
      ),
    );
    expect(served.answers).toBeGreaterThan(2);
    clearInterval(crumbs);
    for (const socket of sockets) socket.destroy();
  });

  test('many connections that send requests without end and read nothing do not delay other clients', async () => {
    const sockets = await Promise.all(Array.from({ length: 30 }, () => slow(world, '')));
    for (const socket of sockets)
      socket.pause().write('GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(100));
    const { served } = await beside(ada, async () => {
      for (let round = 0; round < 5; round += 1) await ada.api.GET('/me');
    });
    expect(served.answers).toBeGreaterThan(2);
    for (const socket of sockets) socket.destroy();
  });
});

async function slow(where: { url: string }, begins: string): Promise<Socket> {
  const socket = await openSocket(where);
  // A closed connection is not a fault.
  socket.on('error', () => undefined);
  socket.write(begins);
  return socket;
}

describe('a connection', () => {
  let server: Server;
  let where: { url: string };

  beforeAll(async () => {
    server = createHttpServer(
      (request, response) => {
        request.resume();
        if (request.url === '/large') response.end(Buffer.alloc(50_000_000));
        else request.once('end', () => response.end('done'));
      },
      { headersMs: 200, requestMs: 400, stalledMs: 600, keptMs: 600, checkEveryMs: 50 },
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    where = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  test.each(manners)('connections that %s are ended', async (_what, begins, goesOn) => {
    const socket = await slow(where, begins);
    const crumbs = setInterval(() => socket.write(goesOn), 20);
    socket.resume();
    await until(async () => socket.closed, Boolean);
    clearInterval(crumbs);
    expect(socket.destroyed).toBe(true);
  });

  test('a connection that does not read its answer is ended', async () => {
    const ended = new Promise<void>((resolve) =>
      server.once('connection', (socket: Socket) => socket.once('close', () => resolve())),
    );
    const socket = await slow(where, 'GET /large HTTP/1.1\r\nhost: x\r\n\r\n');
    socket.pause();
    await ended;
    socket.destroy();
    expect(server.listening).toBe(true);
  });

  test('the time limits increase from the headers to the whole request to a stalled connection', () => {
    const { headersMs, requestMs, stalledMs } = defaultTimeouts;
    expect(headersMs).toBeLessThan(requestMs);
    // A request that is slow to arrive must not be taken for one that has stalled.
    expect(requestMs).toBeLessThan(stalledMs);
  });
});
