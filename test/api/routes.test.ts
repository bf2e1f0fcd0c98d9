// Addresses that do not exist get the same 404 for any caller and any request. test/api-security tries the existing ones.
import { expect, test } from 'vitest';
import { call, faultIn } from '../support/http.ts';
import { useWorld } from '../support/use-world.ts';

const { world } = useWorld();

test.each(['/', '/nowhere', '/mee', '/me/', '//me', '/me/..', '/transactions/a/b', '/.env', '/__proto__'])(
  '%s is answered with 404, or with 401 if it is a known address with a slash at the end',
  async (path) => {
    const answer = await call(world, 'GET', path);
    // A slash at the end is accepted. Every other address is a 404.
    expect(answer.status).toBe(path === '/me/' ? 401 : 404);
  },
);

test('an address that does not exist is a 404 even for a broken request', async () => {
  const answer = await call(world, 'POST', '/nowhere', { body: '{"broken' });
  expect(faultIn(answer)).toEqual([404, 'not_found']);
});

test('a callback under a wrong secret is answered like an address that does not exist', async () => {
  const headers = { 'x-request-id': 'same' };
  const wrong = await call(world, 'POST', '/webhooks/provider/wrong', { json: { event: 'x' }, headers });
  const nowhere = await call(world, 'POST', '/nowhere', { json: { event: 'x' }, headers });
  expect(wrong.text).toBe(nowhere.text);
});
