// Slow connections: many of them beside an honest client, and each only for as long as allowed.
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpServer, defaultTimeouts } from '../../src/api/timeouts.ts';
import { type Person, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { startWorld, type World } from '../support/world.ts';
import { beside } from './beside.ts';
import { openSocket } from './raw.ts';

const MANY = 300;

/** How it begins, and what it goes on with, a little at a time. */
const manners: [what: string, begins: string, goesOn: string][] = [
  ['say nothing', '', ''],
  ['do not come to the end of their headers', 'GET /me HTTP/1.1\r\nhost: x\r\n', 'x: 1\r\n'],
  ['do not come to the end of their address', 'GET /', 'a'],
  [
    'do not come to the end of their body',
    'POST /auth/session HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n{',
    ' ',
  ],
  [
    'bring their body in crumbs',
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

  it.each(manners)('that %s do not delay other clients', async (_what, begins, goesOn) => {
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

  it('that send requests without end and read nothing do not delay other clients', async () => {
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
  // A closed connection is no fault.
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

  it.each(manners)('of those that %s is ended', async (_what, begins, goesOn) => {
    const socket = await slow(where, begins);
    const crumbs = setInterval(() => socket.write(goesOn), 20);
    socket.resume();
    await until(async () => socket.closed, Boolean);
    clearInterval(crumbs);
    expect(socket.destroyed).toBe(true);
  });

  it('of those that do not read is ended', async () => {
    const ended = new Promise<void>((resolve) =>
      server.once('connection', (socket: Socket) => socket.once('close', () => resolve())),
    );
    const socket = await slow(where, 'GET /large HTTP/1.1\r\nhost: x\r\n\r\n');
    socket.pause();
    await ended;
    socket.destroy();
    expect(server.listening).toBe(true);
  });

  it('is given as long as it needs otherwise, and no limit is missing', () => {
    const { headersMs, requestMs, stalledMs } = defaultTimeouts;
    expect(headersMs).toBeLessThan(requestMs);
    // A request that is slow to arrive must not be taken for one that has stalled.
    expect(requestMs).toBeLessThan(stalledMs);
  });
});
