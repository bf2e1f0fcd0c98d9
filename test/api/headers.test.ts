// Headers of an answer: the request id, and CORS. every-answer.test.ts tries the headers that all answers have.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { gbp } from '../support/bank-details.ts';
import { byTable } from '../support/by-table.ts';
import { call } from '../support/http.ts';
import { capturedAt } from '../support/leak-watch.ts';
import { must, signUp } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';
import type { World } from '../support/world.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const APP = 'https://app.example';
const { world } = useWorld();
const { world: open } = useWorld({ env: { CORS_ORIGINS: `${APP},http://localhost:8081` } });

const sent = (id: string) => call(world, 'GET', '/health', { headers: { 'x-request-id': id } });
const from = (where: World, origin: string) => call(where, 'GET', '/health', { headers: { origin } });
const preflight = (where: World, origin: string) =>
  call(where, 'OPTIONS', '/withdraws', {
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,idempotency-key,content-type',
    },
  });

test.each(['a', 'b7c1.retry_2-x', 'x'.repeat(128)])('the request id %s of a client is kept', async (id) => {
  expect((await sent(id)).headers.get('x-request-id')).toBe(id);
});

test.each(['x'.repeat(129), 'a b', '<script>', 'a"b', '%0d%0aX-Evil:1', '{"a":1}', 'é', ''])(
  'the invalid request id %j is replaced',
  async (id) => {
    const received = (await sent(id)).headers.get('x-request-id');
    expect(received).not.toBe(id);
    expect(received).toMatch(/^[\da-f-]{36}$/);
  },
);

test('a client’s request id is returned but not stored: rows have the service’s own id, and the log has both', async () => {
  const ada = await signUp(world);
  must(await ada.api.POST('/bank-details', { body: gbp }));
  const headers = { 'x-request-id': 'made-up-by-ada' };
  const revealed = await call(world, 'GET', '/bank-details?reveal=true', { token: ada.token, headers });
  expect(revealed.headers.get('x-request-id')).toBe('made-up-by-ada');
  const refused = await call(world, 'GET', `/transactions/${randomUUID()}`, { token: ada.token, headers });
  expect(refused.body).toMatchObject({ requestId: 'made-up-by-ada' });
  const rows = await byTable(world.service.app.db)
    .selectFrom('audit_events')
    .select('request_id')
    .where('user_id', '=', ada.userId)
    .execute();
  expect(rows).toEqual([{ request_id: expect.stringMatching(uuid) }]);
  const lines = capturedAt('the log')
    .split('\n')
    .filter((line) => line.includes('"clientRequestId":"made-up-by-ada"'))
    .map((line) => JSON.parse(line) as { requestId: string });
  expect(lines.map(({ requestId }) => requestId)).toEqual([rows[0]?.request_id, expect.stringMatching(uuid)]);
});

test('each request without an id gets a different one', async () => {
  const answers = await Promise.all([call(world, 'GET', '/health'), call(world, 'GET', '/health')]);
  expect(new Set(answers.map(({ headers }) => headers.get('x-request-id'))).size).toBe(2);
});

test('other origins are not allowed unless they are configured', async () => {
  expect((await from(world, APP)).headers.get('access-control-allow-origin')).toBeNull();
  expect((await preflight(world, APP)).status).toBe(405);
  for (const origin of ['https://evil.example', `${APP}.evil.example`, 'null', 'http://app.example'])
    expect((await from(open, origin)).headers.get('access-control-allow-origin')).toBeNull();
  expect(
    (await preflight(open, 'https://evil.example')).headers.get('access-control-allow-origin'),
  ).toBeNull();
});

test('a configured origin is allowed by name, and may read the headers that clients need', async () => {
  const { headers } = await from(open, APP);
  expect(headers.get('access-control-allow-origin')).toBe(APP);
  expect(headers.get('vary')).toContain('Origin');
  expect(headers.get('access-control-expose-headers')).toBe('Link,Retry-After,X-Request-Id');
  expect(headers.get('access-control-allow-credentials')).toBeNull();
});

test('a configured origin may send a preflight request', async () => {
  const { status, headers } = await preflight(open, APP);
  expect(status).toBe(204);
  expect(headers.get('access-control-allow-origin')).toBe(APP);
  expect(headers.get('access-control-allow-methods')).toContain('PATCH');
  expect(headers.get('access-control-allow-headers')).toContain('idempotency-key');
});

test('a configured origin can read refusals, so that an app can tell the reason', async () => {
  const answer = await call(open, 'GET', '/me', { headers: { origin: APP } });
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([401, APP]);
  expect(answer.headers.get('vary')).toBe('Origin, Accept-Language');
});
