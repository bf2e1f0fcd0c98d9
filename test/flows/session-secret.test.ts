// A new session secret: alone it ends every session, for when the present one has leaked; before the former one it
// replaces it without ending any.
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../scripts/free-port.ts';
import type { Service } from '../../src/start/start-service.ts';
import { forge } from '../api-security/forge.ts';
import { honestSession } from '../api-security/session-tokens.ts';
import { call } from '../support/http.ts';
import { mintIdToken, type Person, signUp } from '../support/person.ts';
import { startWatchedService } from '../support/watched-service.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;
let renewed: Service;
let rotating: Service;
let there: { url: string };
let beside: { url: string };
let ada: Person;
const subject = randomUUID();

beforeAll(async () => {
  world = await startWorld();
  ada = await signUp(world, { subject });
  const fresh = randomBytes(32).toString('base64url');
  [renewed, there] = await startWith(fresh);
  [rotating, beside] = await startWith(`${fresh}, ${world.env['SESSION_SECRET']}`);
});

async function startWith(SESSION_SECRET: string): Promise<[Service, { url: string }]> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { ...world.env, ROLE: 'api', PORT: String(port), PUBLIC_BASE_URL: url, SESSION_SECRET };
  return [await startWatchedService(env, world.clock), { url }];
}
afterAll(async () => {
  await rotating.stop();
  await renewed.stop();
  await world.stop();
});

describe('a new session secret', () => {
  it('ends every session, and signing in again finds the same user', async () => {
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

describe('a new session secret in front of the former one', () => {
  it('ends no session, and signs those that begin', async () => {
    expect(await call(beside, 'GET', '/me', { token: ada.token })).toMatchObject({ status: 200 });
    const idToken = await mintIdToken(world, 'b', { subject });
    const json = { provider: 'identity_provider_b', idToken };
    const { body } = await call(beside, 'POST', '/auth/session', { json });
    const { sessionToken } = body as { sessionToken: string };
    // The process that knows the new one alone takes it; the one that knows the former one alone does not.
    expect(await call(there, 'GET', '/me', { token: sessionToken })).toMatchObject({ status: 200 });
    expect(await call(world, 'GET', '/me', { token: sessionToken })).toMatchObject({ status: 401 });
  });

  it('takes nothing that is signed with a third one', async () => {
    const forged = forge(
      honestSession({ userId: ada.userId, secret: randomBytes(32).toString('base64url') }),
    );
    expect(await call(beside, 'GET', '/me', { token: forged })).toMatchObject({ status: 401 });
  });
});
