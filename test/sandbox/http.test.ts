import { createRemoteJWKSet, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import contract from '../../openapi/generated/provider.json' with { type: 'json' };
import { CHAPTERS } from '../../sandbox/magic.ts';
import { handlers } from '../../sandbox/provider/index.ts';
import { headersFor, submitForm } from './support.ts';
import { useUpstream } from './use-upstream.ts';

const { upstream } = useUpstream();

const stream = (bytes: number) => new Blob(['"', 'x'.repeat(bytes), '"']).stream();

describe('the API', () => {
  const path = '/v1/payouts/0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a60/';

  test.each([
    ['no credentials', { authorization: '' }],
    ['a wrong password', { authorization: `Basic ${Buffer.from('sandbox:wrong').toString('base64')}` }],
    ['no company', { 'x-company-id': '' }],
    ['another company', { 'x-company-id': 'another' }],
  ])("the provider's API is closed to a call with %s", async (_what, change) => {
    const response = await fetch(upstream.url + path, { headers: { ...headersFor(upstream), ...change } });
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status: 401,
      body: { code: 'unauthorized' },
    });
  });

  test.each([
    ['GET', path, undefined, 404, 'not_found'],
    ['GET', '/v1/payouts/not-an-id/', undefined, 400, 'invalid_request'],
    ['GET', path.slice(0, -1), undefined, 404, 'not_found'],
    ['GET', '/v1/nothing/', undefined, 404, 'not_found'],
    ['DELETE', path, undefined, 405, 'invalid_request'],
    ['GET', '/v1/payouts/?limit=0', undefined, 400, 'invalid_request'],
    ['GET', '/v1/payouts/?surprise=1', undefined, 400, 'invalid_request'],
    ['GET', '/v1/accounts/owners/', undefined, 400, 'invalid_request'],
    ['GET', '/v1/payouts/%E0%A4%A/', undefined, 400, 'invalid_request'],
    ['POST', '/v1/payouts/', '{', 400, 'invalid_request'],
    ['POST', '/v1/payouts/', 'null', 400, 'invalid_request'],
    ['PATCH', path, '{}', 400, 'invalid_request'],
    ['POST', '/v1/payouts/', `"${'x'.repeat(200_000)}"`, 413, 'invalid_request'],
  ])('%s %s is answered with a clear refusal', async (method, target, body, status, code) => {
    const response = await fetch(upstream.url + target, {
      method,
      headers: headersFor(upstream),
      ...(body === undefined ? {} : { body }),
    });
    const answer = { status: response.status, code: ((await response.json()) as { code: string }).code };
    expect(answer).toEqual({ status, code });
  });

  test.each([
    ['another type than JSON', { 'content-type': 'text/plain' }, '{}', 400],
    ['a compressed body', { 'content-encoding': 'gzip' }, '{}', 415],
    ['an empty body', {}, '', 400],
    ['a body in pieces that is too long', {}, () => stream(200_000), 413],
    ['a body in pieces that is no object', {}, () => stream(10), 400],
  ])("the provider's API refuses a call with %s", async (_what, headers, body, status) => {
    const response = await fetch(`${upstream.url}/v1/payouts/`, {
      method: 'POST',
      headers: { ...headersFor(upstream), ...headers },
      body: typeof body === 'string' ? body : body(),
      duplex: 'half',
    });
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status,
      body: { code: 'invalid_request' },
    });
  });

  test("the provider's API handles every operation of the contract, and no other", () => {
    const declared = Object.values(contract.paths).flatMap((item) =>
      Object.values(item).flatMap((part) => ('operationId' in part ? [part.operationId] : [])),
    );
    expect(new Set(Object.keys(handlers))).toEqual(new Set(declared));
  });
});

describe.each([
  ['a', 'com.example.ponte'],
  ['b', 'ponte-client.apps.example'],
] as const)('identity provider %s', (letter, audience) => {
  const issuer = () => `${upstream.url}/identity/${letter}`;
  const mint = async (claims: object) => {
    const response = await fetch(`${issuer()}/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(claims),
    });
    return { status: response.status, ...((await response.json()) as { idToken: string }) };
  };
  const verify = (token: string, by = issuer()) =>
    jwtVerify(token, createRemoteJWKSet(new URL(`${issuer()}/jwks.json`)), { issuer: by, audience });

  test('an identity provider mints tokens that its key set verifies', async () => {
    const { idToken } = await mint({
      subject: 's-1',
      email: 'a@b.example',
      emailVerified: true,
      name: 'Ada',
    });
    const { payload, protectedHeader } = await verify(idToken);
    expect(payload).toMatchObject({ sub: 's-1', email: 'a@b.example', email_verified: true, name: 'Ada' });
    expect(protectedHeader.alg).toBe('RS256');
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3600);
    await expect(verify((await mint({ subject: 's-1', audience: 'other' })).idToken)).rejects.toThrow('aud');
    await expect(verify((await mint({ subject: 's-1', expiresInSeconds: -10 })).idToken)).rejects.toThrow(
      'exp',
    );
    expect((await mint({})).status).toBe(400);
  });

  test('an identity provider mints a token from the form of its page', async () => {
    expect(await (await fetch(`${issuer()}/`)).text()).toContain('name="subject"');
    const { text } = await submitForm(`${issuer()}/token`, { subject: 's-2', email: 'x@y.example' });
    const { payload } = await verify(/eyJ[\w.-]+/.exec(text)?.[0] ?? '');
    expect(payload).toMatchObject({ sub: 's-2', email_verified: false });
  });

  test('an identity provider mints a token with the nonce of the sign-in, and without one otherwise', async () => {
    const { idToken } = await mint({ subject: 's-3', nonce: 'n-1' });
    expect((await verify(idToken)).payload['nonce']).toBe('n-1');
    expect((await verify((await mint({ subject: 's-3' })).idToken)).payload).not.toHaveProperty('nonce');
    const { text } = await submitForm(`${issuer()}/token`, { subject: 's-3', nonce: 'n-2' });
    expect((await verify(/eyJ[\w.-]+/.exec(text)?.[0] ?? '')).payload['nonce']).toBe('n-2');
  });
});

test('identity provider b has a second issuer, which lacks the scheme, and identity provider a has none', async () => {
  const mint = (letter: 'a' | 'b') =>
    fetch(`${upstream.url}/identity/${letter}/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ subject: 's-4', issuerWithoutScheme: true }),
    });
  const { idToken } = (await (await mint('b')).json()) as { idToken: string };
  const issuer = `${new URL(upstream.url).host}/identity/b`;
  const keys = createRemoteJWKSet(new URL(`${upstream.url}/identity/b/jwks.json`));
  expect((await jwtVerify(idToken, keys, { issuer })).payload.sub).toBe('s-4');
  expect((await mint('a')).status).toBe(400);
});

test('the front page lists every magic value, and fetches nothing', async () => {
  const text = await (await fetch(upstream.url)).text();
  for (const { rows } of CHAPTERS)
    for (const { value } of rows) expect(text).toContain(`<code>${value}</code>`);
  expect(text).not.toMatch(/<script|<link(?! rel="icon" href="data:,")|src=|url\(/);
});
