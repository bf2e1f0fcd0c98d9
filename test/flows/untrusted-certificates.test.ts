// The certificates of a provider and of an identity provider are not trusted. The service sends them nothing, clients learn
// nothing about it, and the log names the cause.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from '../support/http.ts';
import { capturedAt } from '../support/leak-watch.ts';
import { mintIdToken, signUp } from '../support/person.ts';
import { startUntrustedServer } from '../support/self-signed.ts';
import { startWorld, type World } from '../support/world.ts';

let untrusted: Awaited<ReturnType<typeof startUntrustedServer>>;
let world: World;

beforeAll(async () => {
  untrusted = await startUntrustedServer();
  world = await startWorld({
    env: { IDENTITY_A_JWKS_URL: `${untrusted.url}/jwks.json` },
    upstream: async () => untrusted.url,
  });
});
afterAll(async () => {
  await world.stop();
  await untrusted.stop();
});

const logged = (code: string): string[] =>
  capturedAt('the log')
    .split('\n')
    .filter((line) => line.includes(`"code":"${code}"`));

test('a provider without a trusted certificate is sent no request: the client gets a 502, and the log names the certificate', async () => {
  const ada = await signUp(world);
  const answer = await call(world, 'POST', '/kyc/start', { token: ada.token });
  expect([answer.status, answer.body['code']]).toEqual([502, 'provider_unavailable']);
  expect(answer.text).not.toContain('certificate');
  expect(logged('request.failed')).toEqual([expect.stringContaining('DEPTH_ZERO_SELF_SIGNED_CERT')]);
  expect(untrusted.requests()).toBe(0);
});

test('keys without a trusted certificate are not fetched: sign-ins are answered with 502, and the log names the certificate', async () => {
  const idToken = await mintIdToken(world, 'a', { subject: 'somebody' });
  const answer = await call(world, 'POST', '/auth/session', {
    json: { provider: 'identity_provider_a', idToken },
  });
  expect([answer.status, answer.body['code']]).toEqual([502, 'identity_provider_unavailable']);
  expect(answer.text).not.toContain('certificate');
  expect(logged('identity.keys_unreachable')).toEqual([
    expect.stringContaining('DEPTH_ZERO_SELF_SIGNED_CERT'),
  ]);
  expect(untrusted.requests()).toBe(0);
});
