// The headers of every answer of every operation, for successes and refusals: not cached, safe in a browser, and without a hint
// of the software behind it. Pages that are not operations have the same headers, but may be cached.
import { connect } from 'node:net';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { freePort } from '../../harness/processes/free-port.ts';
import type { OperationId } from '../../src/api/operation.ts';
import { operations } from '../support/contract.ts';
import { call, type Said } from '../support/http.ts';
import { type Person, verified } from '../support/person.ts';
import { successfulRequests } from '../support/successful-requests.ts';
import { useWorld } from '../support/use-world.ts';

const port = await freePort();
const metricsUrl = `http://127.0.0.1:${port}`;
const { world, ada } = useWorld({
  env: { METRICS_PORT: String(port), BODY_LIMIT: '1kb' },
  deposit: '500.00',
});

/** Asserts the headers that protect an answer for one user from browsers and proxies. A 204 has no content. */
function expectGuarded(headers: Headers, status = 200): void {
  expectSilent(headers);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('content-type')).toBe(status === 204 ? null : 'application/json; charset=utf-8');
  expect(headers.get('content-security-policy')).toBe(
    "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'",
  );
  expect(headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('x-frame-options')).toBe('DENY');
}

/** Asserts that no header names software or its version, which tell an attacker what to try. */
function expectSilent(headers: Headers): void {
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  for (const name of ['server', 'x-powered-by', 'via', 'x-runtime', 'x-aspnet-version', 'set-cookie'])
    expect([name, headers.get(name)]).toEqual([name, null]);
  expect([...headers.values()].join('\n')).not.toMatch(/node|express|undici|postgres/i);
}

const by = ({ token }: Person): Said => ({ token });

// closeAccount is the last operation, because no other one succeeds after it.
const inOrder = operations.toSorted(
  (one, other) => Number(one.operationId === 'closeAccount') - Number(other.operationId === 'closeAccount'),
);
const filled = (path: string, value: string): string => path.replace(/\{\w+\}/, value);

describe.each(inOrder)('$operationId', ({ operationId, method, path, isOpen, takesBody }) => {
  const somewhere = filled(path, '019ab000-0000-7000-8000-000000000000');

  test('every refusal of the operation has the protective headers', async () => {
    const refused = [
      ...(isOpen
        ? []
        : [await call(world, method, somewhere), await call(world, method, somewhere, { token: 'x' })]),
      await call(world, 'PUT', somewhere, by(ada)),
      ...(takesBody ? await refusedBodies(method, somewhere) : []),
      ...(path.includes('{') ? [await call(world, method, filled(path, '%zz'), by(ada))] : []),
    ];
    expect(refused.map(({ status }) => status).filter((status) => status < 400)).toEqual([]);
    expect(refused.length).toBeGreaterThan(0);
    for (const { headers } of refused) {
      expectGuarded(headers);
      expect([headers.get('content-language'), headers.get('vary')]).toEqual(['en', 'Accept-Language']);
    }
  });

  test('the success of the operation has the protective headers', async () => {
    const {
      path: value = '',
      query = '',
      ...said
    } = await successfulRequests(world, ada)[operationId as OperationId]();
    const answer = await call(world, method, filled(path, value) + query, {
      ...(!isOpen && by(ada)),
      ...said,
    });
    expect([200, 201, 204]).toContain(answer.status);
    expectGuarded(answer.headers, answer.status);
    if (method !== 'GET') return;
    const head = await call(world, 'HEAD', filled(path, value) + query, isOpen ? {} : by(ada));
    expectGuarded(head.headers);
  });
});

const refusedBodies = (method: string, path: string) =>
  Promise.all([
    call(world, method, path, { ...by(ada), body: '{"broken' }),
    call(world, method, path, { ...by(ada), json: [1] }),
    call(world, method, path, { ...by(ada), body: `"${'x'.repeat(40_000)}"` }),
    call(world, method, path, { ...by(ada), body: 'a=b', headers: { 'content-type': 'text/plain' } }),
  ]);

test.each([
  '/',
  '/nowhere',
  '/.env',
  '/.git/HEAD',
  '/metrics',
  '/me/..%2f',
  '/docs/assets/',
  '/docs/assets/other.js',
  '/openapi.yaml',
])('the 404 for %s has the protective headers', async (path) => {
  const { status, headers } = await call(world, 'GET', path);
  expect(status).toBe(404);
  expectGuarded(headers);
});

test('a fault of the service and an unreachable provider are answered with the protective headers', async () => {
  const { db } = world.service.app;
  const bea = await verified(world);
  await sql`alter table pix_payments rename to away`.execute(db);
  const fault = await call(world, 'GET', '/pix/payments', by(bea));
  await sql`alter table away rename to pix_payments`.execute(db);
  await world.stopSandbox();
  const unreachable = await call(world, 'POST', '/pix/quote', { ...by(bea), json: { amountBrl: 10 } });
  expect([fault.status, unreachable.status]).toEqual([500, 502]);
  for (const { headers } of [fault, unreachable]) expectGuarded(headers);
});

test.each([
  ['bytes that are not HTTP', 'hello\r\n\r\n'],
  ['a request without a host', 'GET /me HTTP/1.1\r\nconnection: close\r\n\r\n'],
])('the 400 for %s has the protective headers', async (_what, bytes) => {
  const heard = await new Promise<string>((resolve, reject) => {
    let text = '';
    const socket = connect(Number(new URL(world.url).port), '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.once('error', reject);
    socket.once('close', () => resolve(text));
  });
  expect(heard).toMatch(/^HTTP\/1\.1 400 /);
  const lines = heard.split('\r\n\r\n')[0]?.split('\r\n').slice(1) ?? [];
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const [name = '', value = ''] = line.split(': ');
      return [name, value];
    }),
  );
  expectGuarded(headers);
});

test.each([
  '/docs',
  '/docs/',
  '/openapi.json',
  '/docs/openapi.json',
  '/docs/assets/reference.js',
  '/favicon.ico',
])('the page %s has the protective headers and names no software', async (path) => {
  for (const method of ['GET', 'HEAD']) {
    const response = await fetch(`${world.url}${path}`, { method });
    expect(response.status).toBe(200);
    expectSilent(response.headers);
    expect(response.headers.get('content-security-policy')).toMatch(/default-src '(self|none)'/);
    expect(response.headers.get('content-security-policy')).toMatch(/frame-ancestors '(self|none)'/);
    expect(response.headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    await response.arrayBuffer();
  }
});

test.each([
  ['/docs', 'text/html; charset=utf-8', /^<!doctype html>/i],
  ['/openapi.json', 'application/json; charset=utf-8', /^\{"openapi":/],
  ['/docs/openapi.json', 'application/json; charset=utf-8', /fail@pix\.example/],
  ['/docs/assets/reference.js', 'text/javascript; charset=utf-8', /^[^<{]/],
  ['/docs/diagrams/payment.svg', 'image/svg+xml; charset=utf-8', /^<svg /],
  ['/favicon.ico', 'image/svg+xml; charset=utf-8', /^<svg /],
  ['/metrics', 'text/plain; version=0.0.4; charset=utf-8', /^# HELP /],
  ['/ready', 'application/json; charset=utf-8', /^\{"status":/],
])('%s has the content type of its content, with a charset: %s', async (path, type, beginning) => {
  const isOnMetricsPort = ['/metrics', '/ready'].includes(path);
  const response = await fetch(`${isOnMetricsPort ? metricsUrl : world.url}${path}`);
  expect(response.headers.get('content-type')).toBe(type);
  expect(await response.text()).toMatch(beginning);
});

test.each(['/metrics', '/', '/health'])(
  '%s on the metrics port is not cached and names no software',
  async (path) => {
    const response = await fetch(`${metricsUrl}${path}`);
    expectSilent(response.headers);
    expect(response.headers.get('cache-control')).toBe('no-store');
    await response.text();
  },
);
