// Addresses that do not exist: nothing is there, whoever asks and whatever comes along. What is there is tried at the door.
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
      // A slash at the end is forgiven; everything else is nowhere.
      expect(answer.status).toBe(path === '/me/' ? 401 : 404);
    },
  );

  it('are nowhere whatever is sent to them', async () => {
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
