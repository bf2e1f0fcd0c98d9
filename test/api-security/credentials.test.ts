// Every operation of the contract is tried without the right to use it.
import { beforeAll, expect, test } from 'vitest';
import { mintIdToken, type Person, signUp } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';
import { contract } from './contract.ts';
import { type Base, base64url, forge, hmac } from './forge.ts';
import { codeIn, type RawResponse, withoutDate } from './raw.ts';
import { exampleFor, type RequestParts, sendTo, someId } from './send-to.ts';
import { honestSession } from './session-tokens.ts';

let ada: Person;

const { world } = useWorld();
beforeAll(async () => {
  ada = await signUp(world);
});

const locked = contract.filter(({ needsSession }) => needsSession);
const open = contract.filter(({ needsSession }) => !needsSession);
const session = (): Base => honestSession({ userId: ada.userId, secret: world.env['SESSION_SECRET'] ?? '' });
const lastMinute = Math.floor(Date.now() / 1_000) - 60;

const credentials: [string, () => string | undefined | Promise<string>][] = [
  ['nothing', () => undefined],
  ['an empty header', () => ''],
  ['a scheme alone', () => 'Bearer'],
  ['garbage', () => 'Bearer garbage'],
  ['another scheme', () => `Basic ${base64url(`${ada.userId}:${ada.token}`)}`],
  ['a token alone', () => ada.token],
  ['a foreign signature', () => `Bearer ${forge(session(), { sign: hmac('x'.repeat(32)) })}`],
  [
    'no signature',
    () => `Bearer ${forge(session(), { header: { alg: 'none' }, finish: ([h, c]) => `${h}.${c}.` })}`,
  ],
  ['an expired session', () => `Bearer ${forge(session(), { claims: { exp: lastMinute } })}`],
  ['the session of nobody', () => `Bearer ${forge(session(), { claims: { sub: someId } })}`],
  ['an ID token', async () => `Bearer ${await mintIdToken(world, 'b', { subject: 'ada' })}`],
];

test.each(locked)(
  '$method $path is closed to every anonymous caller, with the same answer',
  async (operation) => {
    const answers = new Map<string, RawResponse>();
    for (const [what, make] of credentials) {
      const said = { authorization: await make(), ...exampleFor(operation) };
      answers.set(what, withoutDate(await sendTo(world, operation, said)));
    }
    const first = answers.get('nothing');
    expect(first && codeIn(first)).toEqual([401, 'unauthorized']);
    expect(first?.headers).toContainEqual(['WWW-Authenticate', 'Bearer']);
    for (const [what, answer] of answers) expect([what, answer]).toEqual([what, first]);
  },
);

/** Faults of a request that must stay unmentioned until its sender is authenticated. */
const faulty: RequestParts[] = [
  { query: '?surprise=1' },
  { body: '{"surprise":1}' },
  { body: '{"broken' },
  { body: '['.repeat(100) },
  { body: 'x'.repeat(40_000) },
  { body: 'a=b', headers: { 'content-type': 'text/plain' } },
  { body: '{}', headers: { 'content-type': 'application/json; charset=utf-16' } },
  { body: 'packed', headers: { 'content-encoding': 'gzip' } },
  { headers: { 'idempotency-key': 'not allowed' } },
];

test.each(locked)(
  '$method $path authenticates the caller before it validates the request',
  async (operation) => {
    for (const said of faulty)
      expect(codeIn(await sendTo(world, operation, said))).toEqual([401, 'unauthorized']);
    const path = operation.path.replace(/\{\w+\}/, '%zz');
    expect(codeIn(await sendTo(world, { ...operation, path }, {}))).toEqual([401, 'unauthorized']);
  },
);

test('a callback under a wrong secret is answered like a wrong address, whatever its faults', async () => {
  const wrong = (said: RequestParts, secret = 'w'.repeat(40)) =>
    sendTo(world, { method: 'POST', path: `/webhooks/provider/${secret}` }, said);
  const nowhere = withoutDate(await sendTo(world, { method: 'POST', path: '/nowhere' }, {}));
  for (const said of [{}, ...faulty]) expect(withoutDate(await wrong(said))).toEqual(nowhere);
  expect(withoutDate(await wrong({ body: '{}' }, '%zz'))).toEqual(nowhere);
});

test.each(open)('$method $path ignores credentials, valid or not', async (operation) => {
  // The body is invalid, because each valid one would create another callback or another session.
  const said = operation.forms.length > 0 ? { body: '[]' } : {};
  const answer = withoutDate(await sendTo(world, operation, said));
  for (const authorization of ['Bearer garbage', `Bearer ${ada.token}`, 'Basic eDp5'])
    expect(withoutDate(await sendTo(world, operation, { ...said, authorization }))).toEqual(answer);
});

test.each(locked)('$method $path is open to a valid session', async (operation) => {
  // The surplus parameter is refused, so no operation acts on this request.
  const said = { authorization: `Bearer ${forge(session())}`, query: '?surprise=1' };
  const heard = await sendTo(world, operation, { ...said, ...exampleFor(operation) });
  expect(codeIn(heard)).toEqual([400, 'invalid_request', '/query/surprise']);
});
