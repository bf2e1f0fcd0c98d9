// ID tokens that prove nothing, in every way that they can.
import { generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../scripts/embedded-database.ts';
import { createIdTokens } from '../../src/auth/id-token.ts';
import { call, faultIn } from '../support/http.ts';
import { startIdentityProvider, type TestIdentityProvider } from '../support/identity.ts';
import { type Person, signUp } from '../support/person.ts';
import { startWorld, type World } from '../support/world.ts';

const AUDIENCE = 'com.example.ponte';
let identity: TestIdentityProvider;
let world: World;
let ada: Person;

beforeAll(async () => {
  identity = await startIdentityProvider(AUDIENCE);
  const env = {
    IDENTITY_A_ISSUER: identity.issuer,
    IDENTITY_A_JWKS_URL: identity.jwksUrl,
    IDENTITY_A_AUDIENCE: AUDIENCE,
  };
  world = await startWorld({ env });
  ada = await signUp(world);
});
afterAll(() => Promise.all([world.stop(), identity.stop()]));

const signIn = (idToken: string, provider = 'identity_provider_a', where: { url: string } = world) =>
  call(where, 'POST', '/auth/session', { json: { provider, idToken } });
const now = () => Math.floor(Date.now() / 1000);
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('an ID token', () => {
  it('is good when nothing is wrong with it', async () => {
    expect((await signIn(await identity.sign())).status).toBe(200);
    expect((await signIn(await identity.sign({ aud: ['other', AUDIENCE] }))).status).toBe(200);
  });

  const claims: [string, Record<string, unknown>][] = [
    ['another issuer', { iss: 'https://evil.example' }],
    ['its issuer with a slash more', { iss: '/' }],
    ['no issuer', { iss: undefined }],
    ['another audience', { aud: 'com.example.other' }],
    ['many audiences, not ours', { aud: ['x', 'y'] }],
    ['no audience', { aud: undefined }],
    ['an end in the past', { exp: now() - 60 }],
    ['no end', { exp: undefined }],
    ['an end that is text', { exp: 'never' }],
    ['a beginning in the future', { nbf: now() + 600 }],
    ['no time of issue', { iat: undefined }],
    ['no subject', { sub: undefined }],
    ['an empty subject', { sub: '' }],
    ['a subject that is a number', { sub: 5 }],
    ['U+0000 in the subject', { sub: 'a\u0000b' }],
    ['half a character in the subject', { sub: '\ud800' }],
    ['a subject without end', { sub: 'x'.repeat(256) }],
  ];
  it.each(claims)('with %s is refused', async (_what, changed) => {
    expect(faultIn(await signIn(await identity.sign(changed)))).toEqual([401, 'invalid_id_token']);
  });

  const made: [string, () => Promise<string> | string][] = [
    [
      'signed by a stranger',
      async () => identity.sign({}, { key: (await generateKeyPair('RS256')).privateKey }),
    ],
    ['signed with a key nobody published', () => identity.sign({}, { kid: 'unknown' })],
    [
      'signed with the public key as a secret',
      () => identity.sign({}, { key: Buffer.from(identity.publicKey), alg: 'HS256' }),
    ],
    [
      'with another algorithm of the same key',
      async () =>
        `${encoded({ alg: 'PS256', kid: 'test' })}.${(await identity.sign()).split('.').slice(1).join('.')}`,
    ],
    [
      'of algorithm none',
      () =>
        new UnsecuredJWT({ sub: 'x' })
          .setIssuer(identity.issuer)
          .setAudience(AUDIENCE)
          .setIssuedAt()
          .setExpirationTime('1h')
          .encode(),
    ],
    ['without its signature', async () => (await identity.sign()).replace(/[^.]*$/, '')],
    [
      'with one bit changed',
      async () => (await identity.sign()).replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A')),
    ],
    [
      'with its claims exchanged',
      async () => {
        const [head, , signature] = (await identity.sign()).split('.');
        return `${head}.${encoded({ iss: identity.issuer, aud: AUDIENCE, sub: 'root', iat: now(), exp: now() + 60 })}.${signature}`;
      },
    ],
    [
      'that brings its own key',
      async () => {
        const { privateKey } = await generateKeyPair('RS256');
        return new SignJWT({ sub: 'x', iss: identity.issuer, aud: AUDIENCE })
          .setProtectedHeader({ alg: 'RS256', kid: 'test', jku: 'https://evil.example/keys' })
          .setIssuedAt()
          .setExpirationTime('1h')
          .sign(privateKey);
      },
    ],
    ['that is a session of ours', () => ada.token],
    ['that is garbage', () => 'garbage'],
    ['of dots', () => '...'],
    ['of U+0000', () => '\u0000.\u0000.\u0000'],
    ['without end', () => 'x'.repeat(100_000)],
    ['whose header is no JSON', () => 'eA.eA.eA'],
    ['whose header is null', () => `${encoded(null)}.${encoded({})}.eA`],
    [
      'with a surprise that is critical',
      () => `${encoded({ alg: 'RS256', kid: 'test', crit: ['x'], x: 1 })}.${encoded({})}.eA`,
    ],
  ];
  it.each(made)('%s is refused', async (_what, make) => {
    expect(faultIn(await signIn(await make()))).toEqual([401, 'invalid_id_token']);
  });

  it('of one provider is worth nothing with the other, and there is no third', async () => {
    const token = await identity.sign();
    expect(faultIn(await signIn(token, 'identity_provider_b'))).toEqual([401, 'invalid_id_token']);
    expect(faultIn(await signIn(token, 'identity_provider_c'))).toEqual([
      400,
      'invalid_request',
      '/body/provider',
    ]);
    expect(faultIn(await signIn(''))).toEqual([400, 'invalid_request', '/body/idToken']);
  });

  it('cannot be judged while the keys are out of reach', async () => {
    const closed = `http://127.0.0.1:${await freePort()}/keys`;
    const token = await identity.sign();
    for (const jwksUrl of [closed, `${world.sandboxUrl}/health`, `${world.sandboxUrl}/nowhere`]) {
      const provider = { issuer: identity.issuer, audience: AUDIENCE, jwksUrl };
      const both = { identity_provider_a: provider, identity_provider_b: provider };
      const { verify } = createIdTokens(both, world.clock);
      await expect(verify('identity_provider_a', token)).rejects.toMatchObject({
        code: 'identity_provider_unavailable',
      });
      // What is no token at all needs no keys to be refused.
      await expect(verify('identity_provider_a', 'garbage')).rejects.toMatchObject({
        code: 'invalid_id_token',
      });
    }
  });
});
