// Another session secret: the only way to end every session at once, for when the present one is known to others.
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../scripts/embedded-database.ts';
import type { Service } from '../../src/service.ts';
import { call } from '../support/http.ts';
import { mintIdToken, type Person, signUp } from '../support/person.ts';
import { startWatchedService } from '../support/watched-service.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;
let renewed: Service;
let there: { url: string };
let ada: Person;
const subject = randomUUID();

beforeAll(async () => {
  world = await startWorld();
  ada = await signUp(world, { subject });
  const port = await freePort();
  there = { url: `http://127.0.0.1:${port}` };
  const env = {
    ...world.env,
    PORT: String(port),
    PUBLIC_BASE_URL: there.url,
    SESSION_SECRET: randomBytes(32).toString('base64url'),
  };
  renewed = await startWatchedService(env, world.clock);
});
afterAll(async () => {
  await renewed.stop();
  await world.stop();
});

describe('a new session secret', () => {
  it('ends every session, and who signs in again is who they were', async () => {
    expect(await call(there, 'GET', '/me', { token: ada.token })).toMatchObject({
      status: 401,
      body: { code: 'unauthorized' },
    });
    const idToken = await mintIdToken(world, 'b', { subject });
    const json = { provider: 'identity_provider_b', idToken };
    const again = await call(there, 'POST', '/auth/session', { json });
    expect(again).toMatchObject({ status: 200, body: { user: { id: ada.userId } } });
    const { sessionToken } = again.body as { sessionToken: string };
    expect(await call(there, 'GET', '/me', { token: sessionToken })).toMatchObject({ status: 200 });
  });

  it('is not known to a process that was not restarted', async () => {
    const idToken = await mintIdToken(world, 'b', { subject });
    const json = { provider: 'identity_provider_b', idToken };
    const { body } = await call(there, 'POST', '/auth/session', { json });
    const { sessionToken } = body as { sessionToken: string };
    expect(await call(world, 'GET', '/me', { token: sessionToken })).toMatchObject({ status: 401 });
    expect(await call(world, 'GET', '/me', { token: ada.token })).toMatchObject({ status: 200 });
  });
});
