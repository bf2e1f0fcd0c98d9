// The user's own account: a home currency that is chosen once, a name that can change, and the closing of the account.
import { expect, test } from 'vitest';
import { byTable } from '../support/by-table.ts';
import { operations } from '../support/contract.ts';
import { call, faultIn } from '../support/http.ts';
import { mintIdToken, must, type Person, refusalIn, signUp } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';

const YEAR_OF_MS = 365.25 * 86_400_000;
const { world } = useWorld();

const choose = ({ api }: Person, homeCurrency: 'GBP' | 'EUR') => api.PATCH('/me', { body: { homeCurrency } });

test('the home screen of a new user shows a name and nothing else', async () => {
  const { api, userId } = await signUp(world);
  expect(must(await api.GET('/me'))).toEqual({
    user: {
      id: userId,
      email: 'ada@example.com',
      homeCurrency: null,
      displayName: 'Ada Silva',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/) as string,
    },
    kyc: { status: 'pending', level: null, completedAt: null },
    balance: null,
    deposit: null,
  });
});

test('a new user has an empty balance once the home currency is chosen', async () => {
  const ada = await signUp(world);
  must(await choose(ada, 'EUR'));
  const me = must(await ada.api.GET('/me'));
  expect(me).toMatchObject({ balance: { currency: 'EUR', amount: 0 }, deposit: null });
});

test('the home currency is chosen once, and choosing the same one again changes nothing', async () => {
  const ada = await signUp(world);
  expect(must(await choose(ada, 'GBP')).homeCurrency).toBe('GBP');
  expect(must(await choose(ada, 'GBP')).homeCurrency).toBe('GBP');
  expect(refusalIn(await choose(ada, 'EUR'))).toEqual([409, 'home_currency_already_set']);
  expect(must(await ada.api.GET('/me')).user.homeCurrency).toBe('GBP');
});

test('one of several concurrent choices of the home currency is accepted', async () => {
  for (let round = 0; round < 5; round += 1) {
    const ada = await signUp(world);
    const choices = (['GBP', 'EUR', 'GBP', 'EUR'] as const).map(async (currency) => ({
      currency,
      status: (await choose(ada, currency)).response.status,
    }));
    const answers = await Promise.all(choices);
    const { homeCurrency } = must(await ada.api.GET('/me')).user;
    for (const { currency, status } of answers) expect(status).toBe(currency === homeCurrency ? 200 : 409);
  }
});

test('a refused choice of the home currency also discards the name in the same request', async () => {
  const ada = await signUp(world);
  must(await choose(ada, 'GBP'));
  const both = await ada.api.PATCH('/me', { body: { homeCurrency: 'EUR', displayName: 'Half done' } });
  expect(both.response.status).toBe(409);
  expect(must(await ada.api.GET('/me')).user.displayName).toBe('Ada Silva');
});

test('the home currency and the name can be set together', async () => {
  const ada = await signUp(world);
  const body = { homeCurrency: 'EUR', displayName: 'Ada L.' } as const;
  expect(must(await ada.api.PATCH('/me', { body }))).toMatchObject(body);
});

test('closing the account has the same answer each time, and ends every other operation', async () => {
  const claims = { subject: 'leaving', email: 'bye@example.com', emailVerified: true };
  const ada = await signUp(world, claims);
  const closed = must(await ada.api.DELETE('/me'));
  const scheduledFor = Date.parse(closed.hardDeletionScheduledFor) / YEAR_OF_MS;
  expect(scheduledFor).toBeCloseTo(Date.now() / YEAR_OF_MS + 6, 1);
  world.clock.advance(5_000);
  expect(must(await ada.api.DELETE('/me'))).toEqual(closed);

  const idToken = await mintIdToken(world, 'b', claims);
  const again = await call(world, 'POST', '/auth/session', {
    json: { provider: 'identity_provider_b', idToken },
  });
  expect(faultIn(again)).toEqual([403, 'account_closed']);

  for (const { method, path, isOpen, operationId } of operations) {
    if (isOpen || operationId === 'closeAccount') continue;
    const id = '0198c2f5-0c6f-7b8e-8f21-5e0b7a1d9c46';
    const answer = await call(world, method, path.replace('{id}', id), { token: ada.token });
    expect([operationId, ...faultIn(answer)]).toEqual([operationId, 403, 'account_closed']);
  }
});

test('closing the account several times keeps one erasure request, and deletes the name and the e-mail address', async () => {
  const ada = await signUp(world);
  const pressed = await Promise.all(Array.from({ length: 5 }, () => ada.api.DELETE('/me')));
  expect(new Set(pressed.map((answer) => must(answer).hardDeletionScheduledFor)).size).toBe(1);
  const { db } = world.service.app;
  const requests = await byTable(db)
    .selectFrom('data_requests')
    .selectAll()
    .where('user_id', '=', ada.userId)
    .execute();
  expect(requests.map(({ type, status }) => [type, status])).toEqual([['erasure', 'open']]);
  const user = await byTable(db)
    .selectFrom('users')
    .selectAll()
    .where('id', '=', ada.userId)
    .executeTakeFirstOrThrow();
  expect(user).toMatchObject({ display_name: '', email_sealed: null });
});
