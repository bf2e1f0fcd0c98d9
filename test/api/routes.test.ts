// Addresses that do not exist: the same 404 for any caller and any request. Existing ones are tried in
// test/api-security.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, faultIn } from '../support/http.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

describe('addresses that do not exist', () => {
  it.each(['/', '/nowhere', '/mee', '/me/', '//me', '/me/..', '/transactions/a/b', '/.env', '/__proto__'])(
    '%s',
    async (path) => {
      const answer = await call(world, 'GET', path);
      // A slash at the end is accepted; everything else is a 404.
      expect(answer.status).toBe(path === '/me/' ? 401 : 404);
    },
  );

  it('are a 404 for any request', async () => {
    const answer = await call(world, 'POST', '/nowhere', { body: '{"broken' });
    expect(faultIn(answer)).toEqual([404, 'not_found']);
  });

  it('says the same to a webhook whose secret is wrong', async () => {
    const headers = { 'x-request-id': 'same' };
    const wrong = await call(world, 'POST', '/webhooks/provider/wrong', { json: { event: 'x' }, headers });
    const nowhere = await call(world, 'POST', '/nowhere', { json: { event: 'x' }, headers });
    expect(wrong.text).toBe(nowhere.text);
  });
});
