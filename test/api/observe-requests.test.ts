// Which requests are logged at the production level: refused ones, slow ones, and those that their client gave up.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import express from 'express';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anonymousLines } from '../../src/api/line-budget.ts';
import { observeRequests, SLOW_REQUEST_MS } from '../../src/api/observe-requests.ts';
import { createLog } from '../../src/start/log.ts';
import { until } from '../support/until.ts';

const lines: Record<string, unknown>[] = [];
const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) });

const counted: [operation: string, status: number][] = [];
const count = (operation: string, status: number): void => void counted.push([operation, status]);

let server: Server;
let base: string;

beforeAll(async () => {
  const app = express();
  app.get('/slow', async (_request, response) => {
    await pause(SLOW_REQUEST_MS + 50);
    response.json({});
  });
  app.get('/endless', (_request, response) => void response.write('{'));
  app.get('/fine', (_request, response) => void response.json({}));
  app.get('/refused', (_request, response) => void response.status(409).json({}));
  app.get('/refused-user', (request, response) => {
    Object.assign(request, { user: { id: 'ada' } });
    response.status(410).json({});
  });
  server = createServer(
    observeRequests(app, { log, mayWrite: anonymousLines(log), requested: count, trustsCallers: false }),
  ).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const next = async (): Promise<Record<string, unknown> | undefined> => {
  await until(
    async () => lines.length,
    (length) => length > 0,
  );
  return lines.shift();
};

test('a slow request is logged, whatever its answer', async () => {
  expect((await fetch(`${base}/slow`)).status).toBe(200);
  const line = await next();
  expect(line).toMatchObject({ level: 'info', status: 200, method: 'GET', code: 'request.answered' });
  expect(line?.['ms']).toBeGreaterThanOrEqual(SLOW_REQUEST_MS);
});

test('a request that its client gave up is logged and counted', async () => {
  const client = new AbortController();
  const { body } = await fetch(`${base}/endless`, { signal: client.signal });
  await body?.getReader().read();
  client.abort();
  expect(await next()).toMatchObject({ level: 'info', status: 499 });
  expect(counted.at(-1)).toEqual(['none', 499]);
});

test('the first of many anonymous refusals has a line, and each refusal of a signed-in user', async () => {
  const refusals = 40;
  const seen: Record<string, unknown>[] = [];
  for (const path of ['/refused', '/refused-user'])
    await Promise.all(Array.from({ length: refusals }, () => fetch(`${base}${path}`)));
  const ofUsers = (): number => seen.filter(({ status }) => status === 410).length;
  await until(
    async () => {
      seen.push(...lines.splice(0));
      return ofUsers();
    },
    (users) => users === refusals,
  );
  expect(seen.filter(({ status }) => status === 409)).toHaveLength(1);
  expect(lines).toEqual([]);
});

test('a request that was neither slow, refused nor given up is not logged', async () => {
  await fetch(`${base}/fine`);
  await fetch(`${base}/refused-user`);
  // Only the refused request is written.
  expect(await next()).toMatchObject({ status: 410 });
  expect(lines).toEqual([]);
});
