// One exchange has one deadline, whatever it waits for.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { expect, test } from 'vitest';
import { exchange } from '../../src/provider/exchange.ts';

const WITHIN_MS = 300;
const get = (path = '/') => ({ method: 'GET', path, headers: {}, body: null });

/** Runs `story` with one connection to a server that answers with `answer`. */
async function withServer(answer: RequestListener, story: (pool: Pool) => Promise<void>): Promise<void> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1, maxResponseSize: 1_000 });
  try {
    await story(pool);
  } finally {
    await pool.destroy();
    server.closeAllConnections();
    server.close();
  }
}

test('a reply in several pieces is joined, and its byte order mark is removed', () =>
  withServer(
    (request, response) => {
      response.writeHead(201, { 'Retry-After': '7' });
      response.write('\uFEFF');
      request.on('data', (piece) => response.write(piece));
      request.on('end', () => response.end('ã'));
    },
    async (pool) => {
      const reply = await exchange(pool, { ...get(), method: 'POST', body: '"ü"' }, 5_000);
      expect(reply).toMatchObject({ status: 201, headers: { 'retry-after': '7' }, text: '"ü"ã' });
    },
  ));

test('a reply that arrives slowly does not escape the deadline', () =>
  withServer(
    (_request, response) => {
      const dripping = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(dripping));
    },
    async (pool) => {
      await expect(exchange(pool, get(), WITHIN_MS)).rejects.toThrow('no whole reply within 300 ms');
    },
  ));

test('a request that waits for its connection until the deadline is never sent', () => {
  const arrived: (string | undefined)[] = [];
  return withServer(
    ({ url }, response) => {
      arrived.push(url);
      if (url === '/slow') setTimeout(() => response.end('slow'), 2 * WITHIN_MS);
      else response.end('quick');
    },
    async (pool) => {
      const slow = exchange(pool, get('/slow'), 5_000);
      await expect(exchange(pool, get('/late'), WITHIN_MS)).rejects.toThrow('no whole reply');
      expect((await slow).text).toBe('slow');
      expect((await exchange(pool, get('/next'), 5_000)).text).toBe('quick');
      expect(arrived).toEqual(['/slow', '/next']);
    },
  );
});

test.each<[string, RequestListener]>([
  ['breaks off', (_request, response) => response.write('half', () => response.destroy())],
  ['is too long', (_request, response) => void response.end('x'.repeat(1_001))],
])('a reply that %s is an error', (_what, answer) =>
  withServer(answer, async (pool) => {
    await expect(exchange(pool, get(), 5_000)).rejects.toThrow(Error);
  }),
);
