// Bodies of anonymous callers are never requested, never awaited, and hardly read. Users can lose the right to send a body
// while it arrives slowly.
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { capturedAt } from '../support/leak-watch.ts';
import { must, type Person, signUp } from '../support/person.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';
import { openSocket } from './raw.ts';

const GIGABYTE = 1024 ** 3;

let ada: Person;

const { world } = useWorld();
beforeAll(async () => {
  ada = await signUp(world);
});

type Talk = { socket: Socket; heard: () => string; statuses: () => number[] };

/** Sends these bytes, and keeps the connection. */
async function talk(bytes: string): Promise<Talk> {
  const socket = await openSocket(world);
  let received = '';
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
  });
  socket.write(bytes);
  const statuses = () => [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  return { socket, heard: () => received, statuses };
}

const answered = ({ statuses }: Talk, count = 1): Promise<number[]> =>
  until(
    async () => statuses(),
    ({ length }) => length >= count,
  );
const post = (path: string, length: number, ...headers: string[]): string =>
  [
    `POST ${path} HTTP/1.1`,
    'host: x',
    'content-type: application/json',
    `content-length: ${length}`,
    ...headers,
    '',
    '',
  ].join('\r\n');
const byAda = () => `authorization: Bearer ${ada.token}`;

const refused: [what: string, path: string, headers: string[], status: number][] = [
  ['without a session', '/me/data-request', [], 401],
  ['under a wrong secret', '/webhooks/provider/wrong', [], 404],
  ['to nowhere', '/nowhere', [], 404],
  ['to sign in with', '/auth/session', [], 413],
  ['that is packed', '/auth/session', ['content-encoding: gzip'], 415],
];

test.each(refused)(
  'a body of a gigabyte %s is answered before it has arrived',
  async (_what, path, headers, status) => {
    const answer = await talk(post(path, GIGABYTE, ...headers));
    expect(await answered(answer)).toEqual([status]);
    answer.socket.destroy();
  },
);

test('a body of a gigabyte with a session is answered before it has arrived', async () => {
  const answer = await talk(post('/me/data-request', GIGABYTE, byAda()));
  expect(await answered(answer)).toEqual([413]);
  answer.socket.destroy();
});

test.each(refused)(
  'a body of a gigabyte %s is not read: a sender who continues is cut off',
  async (_what, path, headers) => {
    const answer = await talk(post(path, GIGABYTE, ...headers));
    await answered(answer);
    const piece = Buffer.alloc(64 * 1024, ' ');
    const sending = setInterval(() => answer.socket.writableNeedDrain || answer.socket.write(piece), 1);
    await until(async () => answer.socket.closed, Boolean);
    clearInterval(sending);
    // Bytes in buffers on the way count as sent.
    expect(answer.socket.bytesWritten).toBeLessThan(50 * 1024 * 1024);
  },
);

test('a body that does not arrive keeps no connection', async () => {
  const answer = await talk(post('/me/data-request', GIGABYTE));
  const crumbs = setInterval(() => answer.socket.write(' '), 50);
  await until(async () => answer.socket.closed, Boolean);
  clearInterval(crumbs);
  expect(answer.statuses()).toEqual([401]);
});

test('a body in pieces, without a session, is answered before it has arrived', async () => {
  const head = 'POST /me/data-request HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
  const answer = await talk(`${head}transfer-encoding: chunked\r\n\r\n`);
  expect(await answered(answer)).toEqual([401]);
  answer.socket.destroy();
});

test('a small body that stays unread does not end the connection', async () => {
  const body = '{"type":"access"}';
  const answer = await talk(`${post('/me/data-request', body.length)}${body}`);
  await answered(answer);
  answer.socket.write('GET /health HTTP/1.1\r\nhost: x\r\n\r\n');
  expect(await answered(answer, 2)).toEqual([401, 200]);
  answer.socket.destroy();
});

describe('a sender that expects 100 Continue before its body', () => {
  const body = '{"type":"access"}';
  const expecting = 'expect: 100-continue';

  test('a sender that expects 100 Continue receives it once authenticated', async () => {
    const answer = await talk(post('/me/data-request', body.length, expecting, byAda()));
    expect(await answered(answer)).toEqual([100]);
    answer.socket.write(body);
    expect(await answered(answer, 2)).toEqual([100, 201]);
    answer.socket.destroy();
  });

  test.each([
    ['without a session', '/me/data-request', body.length, 401],
    ['with too much', '/auth/session', GIGABYTE, 413],
    ['under a wrong secret', '/webhooks/provider/wrong', body.length, 404],
    ['to nowhere', '/nowhere', body.length, 404],
  ])('a sender that expects 100 Continue is refused instead %s', async (_what, path, length, status) => {
    const answer = await talk(post(path, length, expecting));
    await until(async () => answer.socket.closed, Boolean);
    expect(answer.statuses()).toEqual([status]);
  });
});

test('a slow body is refused if its sender closes the account meanwhile', async () => {
  const bea = await signUp(world);
  const [first, second] = ['{"type":', '"access"}'];
  const length = first.length + second.length;
  const head = post('/me/data-request', length, `authorization: Bearer ${bea.token}`);
  const answer = await talk(`${head}${first}`);
  // This is longer than the check of a session stays valid.
  await pause(1_500);
  must(await bea.api.DELETE('/me'));
  answer.socket.write(second);
  expect(await answered(answer)).toEqual([403]);
  answer.socket.destroy();
});

test('a slow body whose sender disconnects is not a fault of the service', async () => {
  const answer = await talk(`${post('/me/data-request', 100, byAda(), 'x-request-id: went-away')}{"type":`);
  await pause(300);
  answer.socket.destroy();
  await until(
    () => world.service.app.metrics.registry.metrics(),
    (metrics) => /operation="createDataRequest",status="499"/.test(metrics),
  );
  expect(capturedAt('the log')).not.toMatch(/"level":"(error|warn)".*went-away/);
});
