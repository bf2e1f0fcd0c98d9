// Ids and parameters in an address: the refusal names the fault. test/api-security tries the ids of other users.
import { describe, expect, test } from 'vitest';
import { call, faultIn } from '../support/http.ts';
import { pay, quote, reaches } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';

const { world, ada } = useWorld({ deposit: '100.00' });

const operations: [method: string, path: (id: string) => string][] = [
  ['GET', (id) => `/transactions/${id}`],
  ['GET', (id) => `/pix/payments/${id}`],
  ['POST', (id) => `/pix/payments/${id}/retry`],
];
const uuid = '0198c2f5-0c6f-7b8e-8f21-5e0b7a1d9c46';

describe.each(operations)('%s %o', (method, path) => {
  test.each([
    'x',
    '1',
    '%20',
    '%00',
    `${uuid}%00`,
    `${uuid}%0A`,
    `urn:uuid:${uuid}`,
    `%7B${uuid}%7D`,
    uuid.replaceAll('-', ''),
    // The path is decoded once, so a hyphen that was encoded twice is not a hyphen.
    uuid.replaceAll('-', '%252D'),
    '__proto__',
    "'%20or%20'1'='1",
    'x'.repeat(4_000),
    '%E2%82%AC',
  ])('%s is refused as an id', async (id) => {
    expect(faultIn(await call(world, method, path(id), { token: ada.token }))).toEqual([
      400,
      'invalid_request',
      '/path/id',
    ]);
  });

  test.each(['%', '%zz', '%C3', '%ff'])('%s is refused as a part of an address', async (id) => {
    const answer = await call(world, method, path(id), { token: ada.token });
    expect(answer.status).toBe(400);
  });
});

test('an id that is encoded once is the same id', async () => {
  const paymentId = await pay(ada, await quote(ada, 10));
  const path = `/pix/payments/${paymentId.replaceAll('-', '%2D')}`;
  const { status, body } = await call(world, 'GET', path, { token: ada.token });
  expect([status, body['id']]).toEqual([200, paymentId]);
});

test('an id in capitals is the same id', async () => {
  const paymentId = await pay(ada, await quote(ada, 10));
  const { transactionId } = await reaches(ada, paymentId, 'completed');
  for (const [index, [method, path]] of operations.entries()) {
    const id = index === 0 ? transactionId : paymentId;
    const answer = await call(world, method, path(id.toUpperCase()), { token: ada.token });
    expect(answer.status).toBe(method === 'GET' ? 200 : 409);
  }
});

test.each([
  ['/transactions?limit=0', '/query/limit'],
  ['/transactions?limit=1001', '/query/limit'],
  ['/transactions?limit=-1', '/query/limit'],
  ['/transactions?limit=1.5', '/query/limit'],
  ['/transactions?limit=1e400', '/query/limit'],
  ['/transactions?limit=ten', '/query/limit'],
  ['/transactions?limit=', '/query/limit'],
  ['/transactions?limit=1&limit=2', '/query/limit'],
  ['/transactions?limit[]=1', '/query/limit[]'],
  ['/transactions?__proto__=1', '/query/__proto__'],
  ['/transactions?constructor=1', '/query/constructor'],
  ['/transactions?a%00b=1', '/query/a\u0000b'],
  ['/withdraws?cursor=', '/query/cursor'],
  ['/withdraws?cursor=%00', '/query/cursor'],
  ['/withdraws?cursor=x', '/query/cursor'],
  ['/withdraws?cursor=x&cursor=y', '/query/cursor'],
  [`/withdraws?cursor=${'x'.repeat(501)}`, '/query/cursor'],
  [`/withdraws?cursor=${Buffer.from(`1e9.${uuid}`).toString('base64url')}`, '/query/cursor'],
  [`/withdraws?cursor=${Buffer.from(`1.${uuid}\0`).toString('base64url')}`, '/query/cursor'],
  [`/withdraws?cursor=${Buffer.from(`1.${uuid}`).toString('base64url')}!`, '/query/cursor'],
  ['/bank-details?reveal=yes', '/query/reveal'],
  ['/bank-details?reveal=true&reveal=true', '/query/reveal'],
])('the invalid parameter in %s is refused by its name', async (address, path) => {
  expect(faultIn(await call(world, 'GET', address, { token: ada.token }))).toEqual([
    400,
    'invalid_request',
    path,
  ]);
});

test('a cursor with an extreme time is answered with 200', async () => {
  for (const time of [0, 999_999_999_999_999]) {
    const cursor = Buffer.from(`${time}.${uuid}`).toString('base64url');
    const answer = await call(world, 'GET', `/transactions?cursor=${cursor}`, { token: ada.token });
    expect(answer.status).toBe(200);
  }
});

test.each(['', 'with space', 'ümlaut', 'x'.repeat(256)])('the Idempotency-Key %j is refused', async (key) => {
  const said = { token: ada.token, json: { type: 'access' } };
  const headers = { 'idempotency-key': Buffer.from(key).toString('latin1') };
  const answer = await call(world, 'POST', '/me/data-request', { ...said, headers });
  expect(faultIn(answer)).toEqual([400, 'invalid_request', '/headers/idempotency-key']);
});
