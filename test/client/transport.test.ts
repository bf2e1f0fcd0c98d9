// The client on an unreliable network and server: real HTTP, and a server that behaves as each test configures.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createPonte, PonteError, PonteUnreachable } from '../../packages/client/src/index.ts';
import { nextCursor } from '../../packages/client/src/pages.ts';
import { freePort } from '../../scripts/free-port.ts';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

let server: Server;
let answers: Answer[];
let asked: { key: string | undefined; body: string }[];
const baseUrl = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeEach(async () => {
  answers = [];
  asked = [];
  server = createServer((request, response) => void take(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const answer = answers[asked.length] ?? json(200, {});
  asked.push({ key: request.headers['idempotency-key'] as string | undefined, body: await text(request) });
  answer(response, request);
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));
const reset: Answer = (_response, request) => void request.socket.destroy();
const withdrawal = { id: '0198c2f5-0c6f-7b8e-8f21-5e0b7a1d9c46', status: 'settling' };
const away = { error: 'Please wait.', code: 'unavailable', requestId: 'r' };

it('repeats the very same request, under the same key, until there is an answer', async () => {
  answers = [reset, json(503, away), json(201, withdrawal)];
  expect(await createPonte({ baseUrl: baseUrl() }).withdraw(1_000)).toEqual(withdrawal);
  expect(asked.map(({ body }) => body)).toEqual(Array(3).fill('{"amount":1000}'));
  expect(new Set(asked.map(({ key }) => key)).size).toBe(1);
  expect(asked[0]?.key).toMatch(/^[\da-f-]{36}$/);
});

it.each([
  [429, 'too_many_requests'],
  [503, 'overloaded'],
])('repeats after a pause what the server refused with %i %s', async (status, code) => {
  answers = [json(status, { ...away, code }, { 'retry-after': '1' }), json(201, withdrawal)];
  expect(await createPonte({ baseUrl: baseUrl() }).withdraw(1_000)).toEqual(withdrawal);
  expect(new Set(asked.map(({ key }) => key)).size).toBe(1);
  expect(asked).toHaveLength(2);
});

it('gives each call a key of its own', async () => {
  const ponte = createPonte({ baseUrl: baseUrl() });
  await Promise.all([ponte.withdraw(1), ponte.withdraw(1)]);
  expect(new Set(asked.map(({ key }) => key)).size).toBe(2);
});

it('reports after its tries that the server is unreachable', async () => {
  answers = [reset, reset];
  await expect(createPonte({ baseUrl: baseUrl(), tries: 2 }).me()).rejects.toBeInstanceOf(PonteUnreachable);
  expect(asked).toHaveLength(2);
});

it('hands the last refusal on', async () => {
  answers = [json(503, away), json(503, away)];
  await expect(createPonte({ baseUrl: baseUrl(), tries: 2 }).me()).rejects.toMatchObject({
    status: 503,
    code: 'unavailable',
    message: 'Please wait.',
    requestId: 'r',
  });
});

it('repeats no refusal that would be the same again', async () => {
  answers = [json(422, { ...away, code: 'insufficient_funds' })];
  await expect(createPonte({ baseUrl: baseUrl() }).withdraw(1)).rejects.toMatchObject({
    code: 'insufficient_funds',
  });
  expect(asked).toHaveLength(1);
});

it('waits no longer for a server that never answers than it was told', async () => {
  answers = [() => undefined];
  const ponte = createPonte({ baseUrl: baseUrl(), tries: 1, timeoutMs: 200 });
  await expect(ponte.me()).rejects.toBeInstanceOf(PonteUnreachable);
});

it('tolerates codes and states that it does not know', async () => {
  answers = [json(418, { ...away, code: 'from_the_future' }), json(200, { status: 'from_the_future' })];
  const ponte = createPonte({ baseUrl: baseUrl() });
  await expect(ponte.me()).rejects.toMatchObject({ status: 418, code: 'from_the_future' });
  const seen = await ponte.waitForPayment(withdrawal.id, { forMs: 0 });
  expect(seen.status).toBe('from_the_future');
});

it('handles the answer of a gateway', async () => {
  answers = [
    (response) => void response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Nothing</h1>'),
  ];
  const refused = await createPonte({ baseUrl: baseUrl() })
    .me()
    .catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(PonteError);
  expect(refused).toMatchObject({ status: 404, code: 'unknown', requestId: null });
});

it('treats an unreadable success as no answer', async () => {
  answers = [
    (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":'),
  ];
  await expect(createPonte({ baseUrl: baseUrl() }).me()).rejects.toBeInstanceOf(PonteUnreachable);
});

it('stops waiting when the app says so, with the app’s reason', async () => {
  answers = [json(200, { status: 'paying' })];
  const leaving = new Error('the screen was left');
  const screen = new AbortController();
  const waiting = createPonte({ baseUrl: baseUrl() }).waitForPayment(withdrawal.id, {
    signal: screen.signal,
    onChange: () => screen.abort(leaving),
  });
  await expect(waiting).rejects.toBe(leaving);
  expect(asked).toHaveLength(1);
});

it('says what is missing where nothing is listening', async () => {
  const nowhere = createPonte({ baseUrl: `http://127.0.0.1:${await freePort()}`, tries: 1 });
  await expect(nowhere.me()).rejects.toMatchObject({ name: 'PonteUnreachable', cause: expect.any(Error) });
});

it.each([
  [null, undefined],
  ['</transactions?limit=1&cursor=a%2Bb>; rel="next"', 'a+b'],
  ['</transactions>; rel="prev", </transactions?cursor=c>; rel=next', 'c'],
  ['</transactions?limit=1>; rel="next"', undefined],
])('the page after %s is %s', (link, cursor) => {
  expect(nextCursor(link)).toBe(cursor);
});
