// Signing in with either identity provider: which user is found, and what is stored.
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Session } from '../../openapi/generated/openapi.ts';
import type { TokenRequest } from '../../sandbox/identity/tokens.ts';
import { byTable } from '../support/by-table.ts';
import { call } from '../support/http.ts';
import { mintIdToken } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';

const { world } = useWorld();

async function signIn(letter: 'a' | 'b', claims: TokenRequest): Promise<Session> {
  const idToken = await mintIdToken(world, letter, claims);
  const json = { provider: `identity_provider_${letter}`, idToken };
  const answer = await call(world, 'POST', '/auth/session', { json });
  expect(answer.status).toBe(200);
  return answer.body as unknown as Session;
}

const usersOf = (subject: string) =>
  byTable(world.service.app.db).selectFrom('users').selectAll().where('auth_subject', '=', subject).execute();

describe.each(['a', 'b'] as const)('provider %s', (letter) => {
  test('signing in again finds the same user, and issues a new session', async () => {
    const subject = randomUUID();
    const first = await signIn(letter, {
      subject,
      email: 'ada@example.com',
      emailVerified: true,
      name: 'Ada',
    });
    expect(first.user).toEqual({
      id: first.user.id,
      email: 'ada@example.com',
      homeCurrency: null,
      displayName: 'Ada',
    });
    world.clock.advance(1_000);
    const second = await signIn(letter, { subject });
    expect(second.user).toEqual(first.user);
    expect(second.sessionToken).not.toBe(first.sessionToken);
    for (const { sessionToken } of [first, second])
      expect((await call(world, 'GET', '/me', { token: sessionToken })).status).toBe(200);
  });

  test('concurrent first sign-ins create one user', async () => {
    const subject = randomUUID();
    const sessions = await Promise.all(
      Array.from({ length: 8 }, () =>
        signIn(letter, { subject, email: 'ada@example.com', emailVerified: true }),
      ),
    );
    expect(new Set(sessions.map(({ user }) => user.id)).size).toBe(1);
    expect(sessions.map(({ user }) => user.email)).toEqual(Array(8).fill('ada@example.com'));
    expect(await usersOf(subject)).toHaveLength(1);
  });

  test('a token without a name leaves the name empty, and a later token never overwrites the name that the user chose', async () => {
    const subject = randomUUID();
    const { user, sessionToken: token } = await signIn(letter, { subject });
    expect(user.displayName).toBe('');
    await call(world, 'PATCH', '/me', { token, json: { displayName: 'Countess' } });
    expect((await signIn(letter, { subject, name: 'Ada' })).user.displayName).toBe('Countess');
  });
});

test('the tokens of both spellings of an issuer lead to the same user', async () => {
  const subject = randomUUID();
  const first = await signIn('b', { subject });
  const second = await signIn('b', { subject, issuerWithoutScheme: true });
  expect(second.user.id).toBe(first.user.id);
  expect(await usersOf(subject)).toHaveLength(1);
});

test('a sign-in whose token has another nonce creates no user', async () => {
  const subject = randomUUID();
  const idToken = await mintIdToken(world, 'a', { subject, nonce: 'the-first' });
  const answerTo = (nonce: string) =>
    call(world, 'POST', '/auth/session', { json: { provider: 'identity_provider_a', idToken, nonce } });
  expect((await answerTo('the-second')).status).toBe(401);
  expect(await usersOf(subject)).toEqual([]);
  expect((await answerTo('the-first')).status).toBe(200);
});

test('a token whose name would be shown as another one leaves the name empty', async () => {
  const { user } = await signIn('a', { subject: randomUUID(), name: 'Ada\u202eecilA' });
  expect(user.displayName).toBe('');
});

describe('the e-mail address', () => {
  const a = 'first@example.com';
  // Each row has the provider, the claims of each token in turn, and the known address after each.
  test.each([
    ['a', [{ email: a }], [a]],
    ['a', [{ email: a, emailVerified: true }], [a]],
    ['a', [{ email: a, emailVerified: false }], [null]],
    ['b', [{ email: a, emailVerified: true }], [a]],
    ['b', [{ email: a, emailVerified: false }], [null]],
    ['b', [{ email: a }], [null]],
    ['a', [{ email: a }, {}], [a, a]],
    ['a', [{}, { email: a }], [null, a]],
    ['a', [{ email: a }, { email: 'second@example.com' }], [a, a]],
    [
      'b',
      [
        { email: a, emailVerified: false },
        { email: a, emailVerified: true },
      ],
      [null, a],
    ],
    [
      'b',
      [
        { email: a, emailVerified: true },
        { email: 'second@example.com', emailVerified: true },
      ],
      [a, a],
    ],
    ['a', [{ email: 'no address' }], [null]],
    ['a', [{ email: 'nul\u0000@example.com' }], [null]],
  ] as ['a' | 'b', TokenRequest[], (string | null)[]][])(
    'tokens of provider %s with %j set the address by the rules of that provider',
    async (letter, says, addresses) => {
      const subject = randomUUID();
      for (const [turn, claims] of says.entries())
        expect((await signIn(letter, { subject, ...claims })).user.email).toBe(addresses[turn]);
    },
  );

  test('the same address, even with the same subject, belongs to two users under two providers', async () => {
    const claims = { subject: randomUUID(), email: 'ada@example.com', emailVerified: true };
    const [one, other] = [await signIn('a', claims), await signIn('b', claims)];
    expect(one.user.id).not.toBe(other.user.id);
    expect(await usersOf(claims.subject)).toHaveLength(2);
  });

  test('the column of the address does not contain it in plain text', async () => {
    const subject = randomUUID();
    await signIn('a', { subject, email: 'ada.secret@example.com' });
    const [row] = await usersOf(subject);
    expect(row?.email_sealed).not.toBeNull();
    expect(Buffer.from(row?.email_sealed ?? []).includes('ada.secret')).toBe(false);
  });
});
