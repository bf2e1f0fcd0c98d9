// The published keys of an identity provider: how often they are fetched, whoever asks, and what happens without them.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../scripts/embedded-database.ts';
import { createIdTokens, type IdTokens } from '../../src/auth/id-token.ts';
import { systemClock } from '../../src/clock.ts';
import { forge } from './forge.ts';
import { type Issuer, startIssuer } from './issuer.ts';

const COOL_DOWN_MS = 30_000;
let issuer: Issuer;
let idTokens: IdTokens;

beforeEach(async () => {
  // Only the time of day is ours: sockets and time-outs go on as ever.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  issuer = await startIssuer('com.example.ponte');
  idTokens = tokensOf(issuer.jwksUrl);
});
afterEach(async () => {
  vi.useRealTimers();
  await issuer.stop();
});

function tokensOf(jwksUrl: string): IdTokens {
  const provider = { issuer: issuer.url, audiences: [issuer.audience], jwksUrl };
  return createIdTokens({ identity_provider_a: provider, identity_provider_b: provider }, systemClock);
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

/** Many at once, and then one after the other; with honest ones among them. */
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

describe('a flood of key ids that nobody published', () => {
  it('costs one fetch for each cool-down, and honest sign-ins go on', async () => {
    expect(await signsIn()).toBe(true);
    for (const fetches of [1, 2, 3]) {
      expect(await flood()).toEqual(['invalid_id_token']);
      later(COOL_DOWN_MS - 100);
      expect(await flood()).toEqual(['invalid_id_token']);
      expect(issuer.asked()).toBe(fetches);
      later(200);
    }
  });

  it('costs one fetch where nothing was fetched before', async () => {
    await Promise.all(Array.from({ length: 100 }, madeUp));
    expect(issuer.asked()).toBe(1);
  });

  it('costs no more when the provider is in trouble, and honest sign-ins go on from what is known', async () => {
    expect(await signsIn()).toBe(true);
    issuer.fail(true);
    for (const fetches of [2, 3]) {
      later(COOL_DOWN_MS + 100);
      const codes = await flood();
      // Whoever waited for the fetch that failed learns that nobody can tell; all others are refused at once.
      expect(codes.map(String).toSorted()).toEqual(['identity_provider_unavailable', 'invalid_id_token']);
      expect(issuer.asked()).toBe(fetches);
    }
    issuer.fail(false);
    const added = issuer.addKey();
    later(COOL_DOWN_MS + 100);
    expect(await signsIn(added)).toBe(true);
  });
});

describe('a new key', () => {
  it('is found at once by everybody who comes with it', async () => {
    expect(await signsIn()).toBe(true);
    const added = issuer.addKey();
    later(COOL_DOWN_MS + 100);
    expect(await Promise.all(Array.from({ length: 20 }, () => signsIn(added)))).toEqual(Array(20).fill(true));
    expect(issuer.asked()).toBe(2);
  });
});

it('no token can be judged while the keys are out of reach; what is none needs no keys', async () => {
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
