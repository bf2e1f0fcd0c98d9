// The webhook secret is part of an address. For any request to it, the log contains only the route. The check at the end of every
// file finds the secret in answers, metrics and columns.
import { connect } from 'node:net';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { call, type Said } from '../support/http.ts';
import { capture, capturedAt } from '../support/leak-watch.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

const ROUTE = '/webhooks/provider/{secret}';

let address: string;

const { world } = useWorld();
beforeAll(async () => {
  address = `/webhooks/provider/${world.webhookSecret}`;
});

const event = { event: 'something.else', data: {}, updated_at: '2026-11-21T12:00:00Z' };

test.each<[string, string, string, Said, number, string]>([
  ['a callback', 'POST', '', { json: event }, 200, ROUTE],
  ['a broken body', 'POST', '', { body: '{"event":' }, 400, ROUTE],
  ['a body that is no event', 'POST', '', { json: [1] }, 400, ROUTE],
  ['no body', 'POST', '', {}, 400, ROUTE],
  [
    'a body in another form',
    'POST',
    '',
    { body: 'a=b', headers: { 'content-type': 'text/plain' } },
    415,
    ROUTE,
  ],
  ['a query', 'POST', '?secret=again', { json: event }, 400, ROUTE],
  ['a slash too many', 'POST', '/', { json: event }, 200, ROUTE],
  ['another secret', 'POST', 'x', { json: event }, 404, ROUTE],
  ['more behind it', 'POST', '/more', { json: event }, 404, 'unknown'],
  ['an escape that is none', 'POST', '%zz', { json: event }, 404, ROUTE],
  ['another method', 'GET', '', {}, 405, 'unknown'],
  ['a method that deletes', 'DELETE', '', {}, 405, 'unknown'],
  ['the head of it', 'HEAD', '', {}, 405, 'unknown'],
])(
  'the log has the route instead of the webhook secret for %s',
  async (_what, method, behind, said, status, route) => {
    const requestId = crypto.randomUUID();
    const headers = { ...said.headers, 'x-request-id': requestId };
    const answer = await call(world, method, address + behind, { ...said, headers });
    // The line is written after the answer was sent.
    const line = await until(
      async () => loggedOf(requestId),
      (text) => text !== undefined,
    );
    expect([answer.status, JSON.parse(line ?? '')]).toEqual([
      status,
      expect.objectContaining({ method, route, status }),
    ]);
  },
);

const loggedOf = (requestId: string): string | undefined =>
  capturedAt('the log')
    .split('\n')
    .find((text) => text.includes(requestId) && text.includes('"route"'));

test('a fault of the service is logged without the webhook secret', async () => {
  const { db } = world.service.app;
  await sql`alter table webhook_events rename to away`.execute(db);
  const { status } = await call(world, 'POST', address, { json: { ...event, event: 'another.one' } });
  await sql`alter table away rename to webhook_events`.execute(db);
  expect(status).toBe(500);
  expect(capturedAt('the log')).toContain('"code":"request.failed","refusal":"internal_error"');
});

test.each([
  ['no HTTP', (to: string) => `POST ${to} HTTP/9.9\r\n\r\n`, 400],
  ['a header that is none', (to: string) => `POST ${to} HTTP/1.1\r\nhost: x\r\n: y\r\n\r\n`, 400],
  [
    'headers without end',
    (to: string) => `POST ${to} HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`,
    431,
  ],
  [
    'a chunk of no length',
    (to: string) => `POST ${to} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n`,
    400,
  ],
])('the answer to malformed HTTP does not contain the webhook secret: %s', async (_what, bytes, status) => {
  const text = await answerTo(bytes(address));
  capture('an error', text);
  expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(text).not.toContain('/webhooks/');
});

const answerTo = (bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(new URL(world.url).port), '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.once('error', reject);
    socket.once('close', () => resolve(text));
  });
