// A new session secret: alone it ends every session, for the case that the current one has leaked. In front of the former one
// it replaces it without ending a session.
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../harness/processes/free-port.ts';
import type { Service } from '../../src/start/start-service.ts';
import { forge } from '../api-security/forge.ts';
import { honestSession } from '../api-security/session-tokens.ts';
import { call } from '../support/http.ts';
import { mintIdToken, type Person, signUp } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';
import { startWatchedService } from '../support/watched-service.ts';

let renewed: Service;
let rotating: Service;
let there: { url: string };
let beside: { url: string };
let ada: Person;
const subject = randomUUID();

const { world } = useWorld();
beforeAll(async () => {
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
});

test('a new session secret ends every session, and signing in again finds the same user', async () => {
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

test('a process that was not restarted does not know a new session secret', async () => {
  const idToken = await mintIdToken(world, 'b', { subject });
  const json = { provider: 'identity_provider_b', idToken };
  const { body } = await call(there, 'POST', '/auth/session', { json });
  const { sessionToken } = body as { sessionToken: string };
  expect(await call(world, 'GET', '/me', { token: sessionToken })).toMatchObject({ status: 401 });
  expect(await call(world, 'GET', '/me', { token: ada.token })).toMatchObject({ status: 200 });
});

test('a new session secret in front of the former one ends no session, and signs new sessions', async () => {
  expect(await call(beside, 'GET', '/me', { token: ada.token })).toMatchObject({ status: 200 });
  const idToken = await mintIdToken(world, 'b', { subject });
  const json = { provider: 'identity_provider_b', idToken };
  const { body } = await call(beside, 'POST', '/auth/session', { json });
  const { sessionToken } = body as { sessionToken: string };
  // The process that knows only the new secret accepts the session. The process that knows only the former secret does not.
  expect(await call(there, 'GET', '/me', { token: sessionToken })).toMatchObject({ status: 200 });
  expect(await call(world, 'GET', '/me', { token: sessionToken })).toMatchObject({ status: 401 });
});

test('a session that is signed with a third secret is refused', async () => {
  const forged = forge(honestSession({ userId: ada.userId, secret: randomBytes(32).toString('base64url') }));
  expect(await call(beside, 'GET', '/me', { token: forged })).toMatchObject({ status: 401 });
});
