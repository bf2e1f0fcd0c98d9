// Hostile tokens at both places that accept tokens. None is accepted, and all refusals are identical.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Session } from '../../openapi/generated/openapi.ts';
import { type Answered, call, faultIn } from '../support/http.ts';
import { startWorld, type World } from '../support/world.ts';
import { type Change, forge } from './forge.ts';
import type { Parties } from './id-tokens/case.ts';
import { honestIdTokens, hostileIdTokens } from './id-tokens/index.ts';
import { type Issuer, SECOND_AUDIENCE, secondIssuer, settingsOf, startIssuer } from './issuer.ts';
import { type House, honestSession, hostileAuthorizations, hostileSessions } from './session-tokens.ts';

let world: World;
let a: Issuer;
let b: Issuer;
let attacker: Issuer;
let ada: Session;
/** The refusals without a valid token: `noIdToken` of a sign-in, and `noSession` of a request. */
let noIdToken: Whole;
let noSession: Whole;

beforeAll(async () => {
  [a, b, attacker] = await Promise.all([
    startIssuer('com.example.ponte'),
    startIssuer('ponte-client.apps.example'),
    startIssuer('com.example.ponte'),
  ]);
  world = await startWorld({ env: { ...settingsOf('A', a), ...settingsOf('B', b) } });
  ada = sessionIn(await signIn('identity_provider_a', forge(a.base())));
  noIdToken = whole(await signIn('identity_provider_a', 'nothing'));
  noSession = whole(await call(world, 'GET', '/me', { headers }));
});
afterAll(() => Promise.all([world.stop(), a.stop(), b.stop(), attacker.stop()]));

// A given request id makes answers comparable byte for byte.
const headers = { 'x-request-id': 'the-same' };
const signIn = (provider: unknown, idToken: unknown, nonce?: unknown): Promise<Answered> =>
  call(world, 'POST', '/auth/session', { json: { provider, idToken, nonce }, headers });
const enter = (authorization: string): Promise<Answered> =>
  call(world, 'GET', '/me', { headers: { ...headers, authorization } });
const sessionIn = ({ body }: Answered): Session => body as unknown as Session;
const secretNamed = (name: string): string => world.env[name] ?? '';

/** All of an answer, except the time at which it was given. */
type Whole = { status: number; headers: Map<string, string>; body: Record<string, unknown>; text: string };
const whole = ({ status, headers: received, body, text }: Answered): Whole => ({
  status,
  headers: new Map([...received].filter(([name]) => name !== 'date')),
  body,
  text,
});

const house = (): House => ({
  userId: ada.user.id,
  secret: secretNamed('SESSION_SECRET'),
  otherSecrets: Object.fromEntries(
    ['PII_ENCRYPTION_KEY', 'WEBHOOK_SECRET', 'PROVIDER_PASSWORD'].map((name) => [name, secretNamed(name)]),
  ),
  identity: a,
});

test('the refusals that all others must equal are the ones that the contract names', () => {
  const requestId = 'the-same';
  expect(noIdToken).toMatchObject({ status: 401, body: { code: 'invalid_id_token', requestId } });
  expect(noSession).toMatchObject({ status: 401, body: { code: 'unauthorized', requestId } });
  expect(noSession.headers.get('www-authenticate')).toBe('Bearer');
});

test('the tables hold more than 150 hostile ID tokens and more than 100 hostile sessions, none of them twice', () => {
  for (const table of [hostileIdTokens, hostileSessions, hostileAuthorizations]) {
    const names = table.map(([what]) => what);
    expect(names).toEqual([...new Set(names)]);
  }
  expect(hostileIdTokens.length).toBeGreaterThan(150);
  expect(hostileSessions.length).toBeGreaterThan(100);
});

describe.each(['a', 'b'] as const)('an ID token for provider %s', (letter) => {
  const provider = `identity_provider_${letter}`;
  const parties = (): Parties => ({
    own: letter === 'a' ? a : b,
    other: letter === 'a' ? b : a,
    attacker,
    sessionToken: ada.sessionToken,
    sessionSecret: secretNamed('SESSION_SECRET'),
  });
  const signInWith = (change: Change) => signIn(provider, forge(parties().own.base(), change));

  test.each(honestIdTokens)('an ID token %s is accepted', async (_what, make) => {
    const answer = await signIn(provider, forge(make(parties())));
    expect([answer.status, sessionIn(answer).user.email]).toEqual([200, 'ada@example.com']);
  });

  const harmless: [string, Change][] = [
    ['no type', { header: { typ: undefined } }],
    ['its type in small letters', { header: { typ: 'jwt' } }],
    ['its type in full', { header: { typ: 'application/jwt' } }],
    ['headers and claims that mean nothing here', { header: { x: 1 }, claims: { nonce: 'x', azp: 'y' } }],
    ['times with fractions', { claims: { exp: Date.now() / 1_000 + 3_000 } }],
    ['a clock that is a little ahead', { claims: { iat: Math.floor(Date.now() / 1_000) + 4 } }],
    ['white space in its claims', { claimsText: (json) => JSON.stringify(JSON.parse(json), null, 2) }],
  ];
  test.each(harmless)('an ID token with %s is accepted', async (_what, change) => {
    expect((await signInWith(change)).status).toBe(200);
  });

  test('an ID token with an audience in a list of one is accepted', async () => {
    expect((await signInWith({ claims: { aud: [parties().own.audience] } })).status).toBe(200);
  });

  test('an ID token for the second app is accepted, but not one for both apps', async () => {
    const { audience } = parties().own;
    expect((await signInWith({ claims: { aud: SECOND_AUDIENCE } })).status).toBe(200);
    const forBoth = await signInWith({ claims: { aud: [audience, SECOND_AUDIENCE] } });
    const forTheList = await signInWith({ claims: { aud: `${audience}, ${SECOND_AUDIENCE}` } });
    expect([whole(forBoth), whole(forTheList)]).toEqual([noIdToken, noIdToken]);
  });

  test('an ID token by the second spelling of the issuer is accepted, but not by that of the other provider or by a list', async () => {
    const [own, other] = letter === 'a' ? (['A', 'B'] as const) : (['B', 'A'] as const);
    expect((await signInWith({ claims: { iss: secondIssuer(own) } })).status).toBe(200);
    for (const iss of [
      secondIssuer(other),
      parties().other.url,
      `https://${secondIssuer(own)}`,
      `${secondIssuer(own)}/`,
      secondIssuer(own).toUpperCase(),
      [secondIssuer(own)],
      `${parties().own.url}, ${secondIssuer(own)}`,
    ])
      expect(whole(await signInWith({ claims: { iss } }))).toEqual(noIdToken);
  });

  test('an ID token by the second spelling of the issuer needs that provider’s keys', async () => {
    const iss = secondIssuer(letter === 'a' ? 'A' : 'B');
    expect(whole(await signIn(provider, forge(parties().other.base(), { claims: { iss } })))).toEqual(
      noIdToken,
    );
    expect(whole(await signIn(provider, forge(attacker.base(), { claims: { iss } })))).toEqual(noIdToken);
  });

  const withNonce = (inToken: unknown, sent: unknown) =>
    signIn(provider, forge(parties().own.base(), { claims: { nonce: inToken } }), sent);

  test.each([
    ['the nonce that the app sends', 'n-0S6_WzA2Mj', 'n-0S6_WzA2Mj'],
    ['the hash of a nonce that the app sends', 'a'.repeat(64), 'a'.repeat(64)],
    ['a nonce, and the app sends none', 'n-0S6_WzA2Mj', undefined],
    ['a nonce of another type, and the app sends none', 5, undefined],
    ['no nonce, and the app sends none', undefined, undefined],
  ])('an ID token is accepted with %s', async (_what, inToken, sent) => {
    expect((await withNonce(inToken, sent)).status).toBe(200);
  });

  test.each([
    ['another nonce', 'n-0S6_WzA2Mk', 'n-0S6_WzA2Mj'],
    ['the nonce in another case', 'N-0S6_WZA2MJ', 'n-0S6_WzA2Mj'],
    ['the beginning of the nonce', 'n-0S6', 'n-0S6_WzA2Mj'],
    ['the nonce and more', 'n-0S6_WzA2Mj ', 'n-0S6_WzA2Mj'],
    ['no nonce', undefined, 'n-0S6_WzA2Mj'],
    ['null for a nonce', null, 'null'],
    ['an empty nonce', '', 'n-0S6_WzA2Mj'],
    ['the nonce as a number', 5, '5'],
    ['the nonce in a list', ['n-0S6_WzA2Mj'], 'n-0S6_WzA2Mj'],
  ])('an ID token with %s is refused if the app sends a nonce', async (_what, inToken, sent) => {
    expect(whole(await withNonce(inToken, sent))).toEqual(noIdToken);
  });

  test.each([
    ['an empty text', ''],
    ['null', null],
    ['a number', 5],
    ['a list', ['x']],
    ['513 characters', 'x'.repeat(513)],
  ])('a nonce that is %s is an invalid request', async (_what, sent) => {
    expect(faultIn(await withNonce(sent, sent))).toEqual([400, 'invalid_request', '/body/nonce']);
  });

  test.each(hostileIdTokens)('an ID token with %s is refused', async (_what, make) => {
    expect(whole(await signIn(provider, make(parties())))).toEqual(noIdToken);
  });

  const unproven: [string, Record<string, unknown>][] = [
    ['no address', { email: undefined }],
    ['null for an address', { email: null }],
    ['a number for an address', { email: 5 }],
    ['a list of addresses', { email: ['ada@example.com'] }],
    ['an address in an object', { email: { address: 'ada@example.com' } }],
    ['true for an address', { email: true }],
    ['two addresses', { email: 'eve@example.com,ada@example.com' }],
    ['an address with a line break', { email: 'ada@example.com\r\nbcc: eve@example.com' }],
    ['an address with U+0000', { email: 'ada@example.com\u0000' }],
    ['an address that is none', { email: 'ada' }],
    ['an address that does not end', { email: `ada@${'x'.repeat(300)}.example` }],
    ['an address that is not verified', { email_verified: false }],
    ['an address that is not verified, as text', { email_verified: 'false' }],
  ];
  test.each([
    ...unproven,
    // Provider B states that an address is verified with each address. Provider A only ever denies it.
    ...(letter === 'a'
      ? []
      : ([
          ['true as text', { email_verified: 'true' }],
          ['1 for true', { email_verified: 1 }],
          ['a list of true', { email_verified: [true] }],
          ['null for true', { email_verified: null }],
          ['nothing said about the address', { email_verified: undefined }],
        ] satisfies [string, Record<string, unknown>][])),
  ])('an ID token with %s proves who the user is, and no address', async (_what, claims) => {
    const answer = await signInWith({ claims });
    expect([answer.status, sessionIn(answer).user.email]).toEqual([200, null]);
  });

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['an empty text', ''],
    ['a number', 5],
    ['true', true],
    ['a list', ['e30.e30.e30']],
    ['an object', { payload: 'e30', protected: 'e30', signature: 'e30' }],
  ])('an ID token that is %s is an invalid request', async (_what, idToken) => {
    expect(faultIn(await signIn(provider, idToken))).toEqual([400, 'invalid_request', '/body/idToken']);
  });
});

test.each([
  'identity_provider_c',
  'IDENTITY_PROVIDER_A',
  'identity_provider_a ',
  '__proto__',
  'constructor',
  '',
  0,
  null,
  undefined,
  ['identity_provider_a'],
])('the provider %j is an invalid request', async (provider) => {
  const answer = await signIn(provider, forge(a.base()));
  expect(faultIn(answer)).toEqual([400, 'invalid_request', '/body/provider']);
});

test('a session is accepted as it was issued, and as it is built here', async () => {
  for (const token of [ada.sessionToken, forge(honestSession(house()))])
    for (const scheme of ['Bearer', 'bearer']) expect((await enter(`${scheme} ${token}`)).status).toBe(200);
});

test.each(hostileSessions)('a session with %s is refused', async (_what, make) => {
  expect(whole(await enter(`Bearer ${make(house())}`))).toEqual(noSession);
});
test.each(hostileAuthorizations)('a session behind %s is refused', async (_what, write) => {
  expect(whole(await enter(write(forge(honestSession(house())))))).toEqual(noSession);
});

test('no address in a token was ever fetched', () => {
  expect(attacker.requestCount()).toBe(0);
});
