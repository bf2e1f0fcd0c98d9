// The published keys of an identity provider: how often they are fetched for any caller, and what happens without them.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { freePort } from '../../harness/processes/free-port.ts';
import { systemClock } from '../../src/domain/clock.ts';
import { createIdTokens, type IdTokens } from '../../src/security/id-token.ts';
import { createLog } from '../../src/start/log.ts';
import { forge } from './forge.ts';
import { ecPair, type Issuer, jwkOf, rsaPair, startIssuer } from './issuer.ts';

const COOL_DOWN_MS = 30_000;
const FRESH_MS = 600_000;
const SERVED_FOR_MS = 24 * 60 * 60 * 1_000;
let issuer: Issuer;
let idTokens: IdTokens;
let lines: string[];

beforeEach(async () => {
  // Only the time of day is faked. Sockets and time-outs use the real clock.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  issuer = await startIssuer('com.example.ponte');
  lines = [];
  idTokens = tokensOf(issuer.jwksUrl);
});
afterEach(async () => {
  vi.useRealTimers();
  await issuer.stop();
});

function tokensOf(jwksUrl: string): IdTokens {
  const provider = { issuers: [issuer.url], audiences: [issuer.audience], jwksUrl };
  const log = createLog('info', { write: (line) => void lines.push(line) });
  return createIdTokens({ identity_provider_a: provider, identity_provider_b: provider }, systemClock, log);
}

const later = (ms: number) => vi.setSystemTime(Date.now() + ms);
const verify = (token: string) => idTokens.verify('identity_provider_a', token);
const signsIn = async (pair = issuer.rsa): Promise<boolean> =>
  (await verify(forge(issuer.base(pair)))).subject !== '';
const codeOf = (tried: Promise<unknown>): Promise<unknown> =>
  tried.then(
    () => 'accepted',
    (refusal: { code?: string }) => refusal.code,
  );
const madeUp = () => codeOf(verify(forge(issuer.base(), { header: { kid: randomUUID() } })));

/** Sends many tokens with unknown keys, first concurrently and then one after the other, with honest ones among them. */
async function flood(): Promise<unknown[]> {
  const flooding = Promise.all(Array.from({ length: 100 }, madeUp));
  expect(await Promise.all(Array.from({ length: 10 }, () => signsIn()))).toEqual(Array(10).fill(true));
  const codes: unknown[] = await flooding;
  for (let count = 0; count < 50; count += 1) {
    codes.push(await madeUp());
    expect(await signsIn()).toBe(true);
  }
  return [...new Set(codes)];
}

test('a flood of unpublished key ids costs one fetch for each cool-down, and honest sign-ins succeed', async () => {
  expect(await signsIn()).toBe(true);
  for (const fetches of [1, 2, 3]) {
    expect(await flood()).toEqual(['invalid_id_token']);
    later(COOL_DOWN_MS - 100);
    expect(await flood()).toEqual(['invalid_id_token']);
    expect(issuer.requestCount()).toBe(fetches);
    later(200);
  }
});

test('a flood of unpublished key ids costs one fetch if nothing was fetched before', async () => {
  await Promise.all(Array.from({ length: 100 }, madeUp));
  expect(issuer.requestCount()).toBe(1);
});

test('a flood of unpublished key ids costs one fetch and one log line for each cool-down while the provider answers 503, and honest sign-ins succeed', async () => {
  expect(await signsIn()).toBe(true);
  issuer.fail(true);
  for (const failures of [1, 2]) {
    later(COOL_DOWN_MS + 100);
    // It cannot be known now whether an unknown key is one of the provider's.
    expect(await flood()).toEqual(['identity_provider_unavailable']);
    later(COOL_DOWN_MS - 200);
    expect(await flood()).toEqual(['identity_provider_unavailable']);
    expect([issuer.requestCount(), lines.length]).toEqual([1 + failures, failures]);
  }
  issuer.fail(false);
  const added = issuer.addKey();
  later(COOL_DOWN_MS + 100);
  expect(await signsIn(added)).toBe(true);
  expect(await madeUp()).toBe('invalid_id_token');
});

test('a flood of unpublished key ids costs one fetch and one log line for each cool-down if no keys were ever fetched', async () => {
  issuer.fail(true);
  for (const round of [1, 2, 3]) {
    const codes = await Promise.all(Array.from({ length: 200 }, madeUp));
    for (let count = 0; count < 5; count += 1) codes.push(await madeUp());
    expect(new Set(codes)).toEqual(new Set(['identity_provider_unavailable']));
    expect([issuer.requestCount(), lines.length]).toEqual([round, round]);
    later(COOL_DOWN_MS + 100);
  }
});

describe('while the provider answers 503', () => {
  beforeEach(async () => {
    await signsIn();
    issuer.fail(true);
  });

  test('known keys are accepted for a day while the provider answers 503, and no longer', async () => {
    for (const ms of [FRESH_MS + 1_000, SERVED_FOR_MS - FRESH_MS - 2_000]) {
      later(ms);
      expect(await signsIn()).toBe(true);
      expect(await codeOf(signsIn(issuer.ec))).toBe('accepted');
    }
    later(2_000);
    expect(await codeOf(signsIn())).toBe('identity_provider_unavailable');
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { level: 'warn', keysAgeSeconds: 601 },
      { level: 'warn', keysAgeSeconds: 86_399 },
    ]);
    later(COOL_DOWN_MS + 100);
    expect(await codeOf(signsIn())).toBe('identity_provider_unavailable');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ level: 'error' });
    issuer.fail(false);
    later(COOL_DOWN_MS + 100);
    expect(await signsIn()).toBe(true);
  });

  test('known keys are fetched again once for each cool-down, with one log line that contains no token', async () => {
    later(FRESH_MS + 1_000);
    for (let count = 0; count < 20; count += 1) expect(await signsIn()).toBe(true);
    expect(issuer.requestCount()).toBe(2);
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'warn',
      code: 'identity.keys_unreachable',
      jwksUrl: issuer.jwksUrl,
      keysAgeSeconds: 601,
    });
    expect(lines[0]?.length).toBeLessThan(500);
  });

  test('a clock that is set back by an hour does not stop the fetches for an hour', async () => {
    later(FRESH_MS + 1_000);
    expect(await signsIn()).toBe(true);
    later(-3_600_000);
    issuer.fail(false);
    const added = issuer.addKey();
    expect(await signsIn(added)).toBe(true);
  });
});

test('a withdrawn key is accepted for at most ten minutes while the provider answers', async () => {
  expect(await signsIn()).toBe(true);
  issuer.withdraw(issuer.rsa);
  later(FRESH_MS - 1_000);
  expect(await signsIn()).toBe(true);
  later(2_000);
  expect(await codeOf(signsIn())).toBe('invalid_id_token');
});

test('a new key is found immediately for every token that is signed with it', async () => {
  expect(await signsIn()).toBe(true);
  const added = issuer.addKey();
  later(COOL_DOWN_MS + 100);
  expect(await Promise.all(Array.from({ length: 20 }, () => signsIn(added)))).toEqual(Array(20).fill(true));
  expect(issuer.requestCount()).toBe(2);
});

test('no token can be verified while the keys are unreachable, and malformed tokens need no keys', async () => {
  issuer.fail(true);
  for (const jwksUrl of [issuer.jwksUrl, `http://127.0.0.1:${await freePort()}/keys`]) {
    idTokens = tokensOf(jwksUrl);
    expect(await codeOf(signsIn())).toBe('identity_provider_unavailable');
    expect(await codeOf(verify('garbage'))).toBe('invalid_id_token');
  }
  issuer.fail(false);
  expect(await codeOf(signsIn())).toBe('identity_provider_unavailable');
  idTokens = tokensOf(issuer.jwksUrl);
  expect(await signsIn()).toBe(true);
});

test('a key that its provider publishes twice signs users in, and made-up signatures are refused', async () => {
  for (const pair of [issuer.rsa, issuer.ec]) issuer.addEntry(jwkOf(pair));
  expect(await Promise.all([signsIn(issuer.rsa), signsIn(issuer.ec)])).toEqual([true, true]);
  const forged = forge(issuer.base(), { sign: issuer.base(rsaPair()).sign });
  expect(await codeOf(verify(forged))).toBe('invalid_id_token');
  expect(lines).toEqual([]);
});

test('two keys that their provider publishes under one id both sign users in, and no other key does', async () => {
  const [second, foreign] = [
    { ...rsaPair(), kid: issuer.rsa.kid },
    { ...rsaPair(), kid: issuer.rsa.kid },
  ];
  issuer.addEntry(jwkOf(second));
  expect(await Promise.all([signsIn(issuer.rsa), signsIn(second)])).toEqual([true, true]);
  expect(await codeOf(signsIn(foreign))).toBe('invalid_id_token');
  for (const pair of [issuer.rsa, second]) {
    const late = forge(issuer.base(pair), { claims: { exp: Math.floor(Date.now() / 1_000) - 60 } });
    expect(await codeOf(verify(late))).toBe('invalid_id_token');
    const withoutId = forge(issuer.base(pair), { header: { kid: undefined } });
    expect(await codeOf(verify(withoutId))).toBe('invalid_id_token');
  }
});

const unusable: [what: string, entry: (kid: string) => unknown][] = [
  ['null', () => null],
  ['a string', () => 'key'],
  ['a list', () => []],
  ['an empty object', () => ({})],
  ['an RSA key without a modulus', (kid) => ({ kty: 'RSA', e: 'AQAB', kid })],
  ['an RSA key of 1,024 bits', (kid) => ({ ...jwkOf(rsaPair(1_024)), kid })],
  ['an EC key without x', (kid) => ({ ...jwkOf(ecPair()), x: undefined, kid })],
  ['an EC key whose point is not on the curve', (kid) => ({ ...jwkOf(ecPair()), x: jwkOf(ecPair()).x, kid })],
  ['a key of an unknown type', (kid) => ({ kty: 'ZZZ', kid })],
  ['a shared secret', (kid) => ({ kty: 'oct', k: 'c2VjcmV0', alg: 'HS256', kid })],
  ['a private key', (kid) => ({ ...rsaPair().privateKey.export({ format: 'jwk' }), kid })],
];

test.each(unusable)(
  'a key set with %s signs users in with its other keys, and one log line names the entry',
  async (_what, entry) => {
    // The same id as a good key: the unusable entry must not stand in its way.
    issuer.addEntry(entry(issuer.rsa.kid));
    expect(await Promise.all([signsIn(issuer.rsa), signsIn(issuer.ec)])).toEqual([true, true]);
    later(FRESH_MS + 1_000);
    expect(await signsIn()).toBe(true);
    expect(issuer.requestCount()).toBe(2);
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { level: 'warn', code: 'identity.keys_skipped', jwksUrl: issuer.jwksUrl, entries: [0], skipped: 1 },
    ]);
  },
);

test('a token that names an unusable entry is refused, and each new set of such entries has one short log line', async () => {
  const short = rsaPair(1_024);
  issuer.addEntry(jwkOf(short));
  expect(await codeOf(signsIn(short))).toBe('invalid_id_token');
  for (let count = 0; count < 200; count += 1)
    issuer.addEntry({ kty: 'x'.repeat(1_000), kid: 'y'.repeat(1_000) });
  for (let count = 0; count < 3; count += 1) {
    later(FRESH_MS + 1_000);
    expect(await signsIn()).toBe(true);
  }
  expect(lines.map((line) => (JSON.parse(line) as { skipped: number }).skipped)).toEqual([1, 201]);
  for (const line of lines) expect(line.length).toBeLessThan(500);
});

test('keys for encryption and for other algorithms are no fault of a key set', async () => {
  const { x, y, crv } = jwkOf(ecPair('P-384'));
  issuer.addEntry({ ...jwkOf(rsaPair()), use: 'enc', alg: 'RSA-OAEP' });
  issuer.addEntry({ kty: 'EC', x, y, crv, kid: randomUUID(), use: 'sig', alg: 'ES384' });
  expect(await signsIn()).toBe(true);
  expect(lines).toEqual([]);
});

test('a key set without one usable entry does not replace the known keys', async () => {
  expect(await signsIn()).toBe(true);
  issuer.addEntry(null);
  issuer.withdraw(issuer.rsa);
  issuer.withdraw(issuer.ec);
  later(FRESH_MS + 1_000);
  expect(await signsIn()).toBe(true);
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { level: 'warn', code: 'identity.keys_unreachable' },
  ]);
});
