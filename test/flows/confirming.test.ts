// A quote can be confirmed once, by its owner, before it expires, and only with sufficient funds.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { PixPaymentRequest } from '../../openapi/generated/openapi.ts';
import { parseQuoteId } from '../../src/domain/ids.ts';
import { PAUSES_KNOWN_FOR_MS } from '../../src/outbox/paused-effects.ts';
import { createGroupCommit } from '../../src/platform/database/group-commit.ts';
import { byTable } from '../support/by-table.ts';
import { call, faultIn } from '../support/http.ts';
import { waitingForLocks } from '../support/locks.ts';
import { growOlder } from '../support/outbox.ts';
import {
  balanceOf,
  must,
  type Person,
  pay,
  quote,
  reaches,
  refusalIn,
  signUp,
  verified,
} from '../support/person.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

const joana = { pixKey: '52998224725', pixKeyType: 'cpf' } as const;
const pedro = { pixKey: 'pedro@example.com', pixKeyType: 'email' } as const;

const { world, ada } = useWorld({ deposit: '500.00' });

const confirm = ({ api }: Person, body: PixPaymentRequest) => api.POST('/pix/payments', { body });
const paymentsOf = async ({ userId }: Person): Promise<number> => {
  const { db } = world.service.app;
  const count = async (table: 'pix_payments' | 'transactions') =>
    (await byTable(db).selectFrom(table).select('id').where('user_id', '=', userId).execute()).length;
  const [payments, transactions] = [await count('pix_payments'), await count('transactions')];
  // A deposit is a transaction as well, so there may be one more transaction than payments.
  expect(transactions - payments).toBeLessThanOrEqual(1);
  return payments;
};

test.each([
  ['cpf', '52998224724'],
  ['cpf', '11111111111'],
  ['cpf', '5299822472'],
  ['cpf', ''],
  ['cnpj', '12ABC34501DE36'],
  ['cnpj', '00000000000000'],
  ['phone', '11987654321'],
  ['phone', '+5501987654321'],
  ['email', 'joana'],
  ['email', `${'x'.repeat(80)}@example.com`],
  ['evp', '123'],
  ['cpf', '529982247\u0000'],
  ['email', `a@${'b.'.repeat(15_000)}c`],
])('the %s key %j is invalid, and no payment is created', async (pixKeyType, pixKey) => {
  const { quoteId } = await quote(ada, 10);
  const json = { quoteId, pixKey, pixKeyType };
  const answer = await call(world, 'POST', '/pix/payments', { token: ada.token, json });
  expect(faultIn(answer)).toEqual([400, 'invalid_request', '/body/pixKey']);
  expect(await paymentsOf(ada)).toBe(0);
});

test.each([
  ['/body/pixKeyType', { pixKeyType: 'iban' }],
  ['/body/pixKeyType', { pixKeyType: '__proto__' }],
  ['/body/recipientName', { recipientName: '' }],
  ['/body/recipientName', { recipientName: 'A\u0000' }],
  ['/body/recipientName', { recipientName: null }],
  ['/body/quoteId', { quoteId: 'quote_\u0000' }],
  ['/body/quoteId', { quoteId: randomUUID() }],
  ['/body/status', { status: 'completed' }],
])('the refusal names %s for a payment request with %j', async (path, changed) => {
  const json = { quoteId: `quote_${randomUUID()}`, ...joana, ...changed };
  const answer = await call(world, 'POST', '/pix/payments', { token: ada.token, json });
  expect(faultIn(answer)).toEqual([400, 'invalid_request', path]);
});

test('a quote of another user is answered exactly like one that does not exist', async () => {
  const eve = await signUp(world);
  const { quoteId } = await quote(ada, 10);
  const headers = { 'x-request-id': 'same' };
  const tries = [
    quoteId,
    `quote_${randomUUID()}`,
    'quote_x',
    quoteId.toUpperCase().replace('QUOTE', 'quote'),
  ];
  const answers = await Promise.all(
    tries.map((id) =>
      call(world, 'POST', '/pix/payments', { token: eve.token, headers, json: { quoteId: id, ...joana } }),
    ),
  );
  for (const answer of answers) {
    expect(faultIn(answer)).toEqual([404, 'not_found']);
    expect(answer.text).toBe(answers[0]?.text);
  }
});

test('confirming a used quote returns its payment for the same recipient, however the key is written, and is refused for another recipient', async () => {
  const { quoteId } = await quote(ada, 10);
  const first = await confirm(ada, { quoteId, ...joana });
  const again = await confirm(ada, {
    quoteId,
    pixKey: '529.982.247-25',
    pixKeyType: 'cpf',
    recipientName: 'Joana',
  });
  expect([first.response.status, again.response.status]).toEqual([201, 200]);
  expect(must(again)).toMatchObject({ ...must(first), status: expect.any(String) as string });
  expect(refusalIn(await confirm(ada, { quoteId, ...pedro }))).toEqual([409, 'quote_already_used']);
  await reaches(ada, must(first).pixPaymentId, 'completed');
  await growOlder(world, 3_600_000);
  const late = await confirm(ada, { quoteId, ...joana });
  expect([late.response.status, must(late).pixPaymentId]).toEqual([200, must(first).pixPaymentId]);
  expect(must(late).status).toBe('completed');
  const other = await confirm(ada, { quoteId, ...pedro });
  expect(refusalIn(other)).toEqual([409, 'quote_already_used']);
});

test('a quote that is confirmed many times concurrently makes one payment', async () => {
  const [before, balance] = [await paymentsOf(ada), await balanceOf(ada)];
  const { quoteId, sourceAmount } = await quote(ada, 11);
  const answers = await Promise.all(Array.from({ length: 8 }, () => confirm(ada, { quoteId, ...joana })));
  const statuses = answers.map(({ response }) => response.status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(1);
  expect(statuses.filter((status) => status === 200)).toHaveLength(7);
  const ids = new Set(answers.map((answer) => must(answer).pixPaymentId));
  expect(ids.size).toBe(1);
  await reaches(ada, [...ids][0] ?? '', 'completed');
  expect(await paymentsOf(ada)).toBe(before + 1);
  expect(await balanceOf(ada)).toBe((balance ?? 0) - sourceAmount);
});

test('a quote that is confirmed concurrently for two recipients pays one of them', async () => {
  const { quoteId } = await quote(ada, 12);
  const answers = await Promise.all([
    confirm(ada, { quoteId, ...joana }),
    confirm(ada, { quoteId, ...pedro }),
  ]);
  const won = answers.filter(({ response }) => response.status === 201);
  const lost = answers.filter(({ response }) => response.status !== 201);
  expect(won).toHaveLength(1);
  expect(lost.map(refusalIn)).toEqual([[409, 'quote_already_used']]);
});

test('an expired quote is refused with quote_expired, and no payment is created', async () => {
  const before = await paymentsOf(ada);
  const { quoteId } = await quote(ada, 10);
  const said = { token: ada.token, json: { quoteId, ...joana } };
  await growOlder(world, 60_000);
  const answer = await call(world, 'POST', '/pix/payments', said);
  expect(faultIn(answer)).toEqual([409, 'quote_expired']);
  expect(answer.body['error']).toBe('quote_expired');
  expect(Object.keys(answer.body).toSorted()).toEqual(['code', 'error', 'requestId']);
  expect(await paymentsOf(ada)).toBe(before);
});

test('a quote that expires while the balance is read is refused with quote_expired', async () => {
  const { app } = world.service;
  const { provider } = app;
  const before = await paymentsOf(ada);
  let quoteId = '';
  let isOverWhenRead = false;
  app.provider = {
    ...provider,
    getAccount: async (ref) => {
      const account = await provider.getAccount(ref);
      isOverWhenRead = await until(
        () => isOver(quoteId),
        (is) => is,
      );
      return account;
    },
  };
  const answer = await until(
    async () => {
      ({ quoteId } = await quote(ada, 10));
      // On a slow machine the quote expires before the balance is read. Then the test tries the next quote.
      await growOlder(world, 57_000);
      return confirm(ada, { quoteId, ...joana });
    },
    () => isOverWhenRead,
  );
  app.provider = provider;
  expect(refusalIn(answer)).toEqual([409, 'quote_expired']);
  expect(await paymentsOf(ada)).toBe(before);
});

async function isOver(quoteId: string): Promise<boolean> {
  const { over } = await byTable(world.service.app.db)
    .selectFrom('pix_quotes')
    .select(sql<boolean>`expires_at <= now()`.as('over'))
    .where('id', '=', parseQuoteId(quoteId))
    .executeTakeFirstOrThrow();
  return over;
}

test('a payment is refused before the provider accounts are open', async () => {
  const bea = await signUp(world);
  must(await bea.api.PATCH('/me', { body: { homeCurrency: 'GBP' } }));
  const { quoteId } = await quote(bea, 10);
  expect(refusalIn(await confirm(bea, { quoteId, ...joana }))).toEqual([409, 'account_not_active']);
  expect(await paymentsOf(bea)).toBe(0);
});

test('a payment is refused if the balance is a penny short, and accepted if it is exact', async () => {
  const bea = await verified(world);
  const { quoteId, sourceAmount } = await quote(bea, 100);
  expect(refusalIn(await confirm(bea, { quoteId, ...joana }))).toEqual([422, 'insufficient_funds']);
  const poor = await verified(world, { deposit: ((sourceAmount - 1) / 100).toFixed(2) });
  const exact = await verified(world, { deposit: (sourceAmount / 100).toFixed(2) });
  const [tooLittle, enough] = [await quote(poor, 100), await quote(exact, 100)];
  expect(refusalIn(await confirm(poor, { quoteId: tooLittle.quoteId, ...joana }))).toEqual([
    422,
    'insufficient_funds',
  ]);
  await reaches(exact, await pay(exact, enough), 'completed');
  expect(await balanceOf(exact)).toBe(0);
  expect(await paymentsOf(poor)).toBe(0);
});

test('only one of several concurrent payments that together exceed the balance is accepted', async () => {
  const bea = await verified(world, { deposit: '100.00' });
  const quotes = await Promise.all([quote(bea, 450), quote(bea, 451), quote(bea, 452)]);
  expect(quotes.every(({ sourceAmount }) => sourceAmount > 5_000 && sourceAmount < 10_000)).toBe(true);
  const confirmed = async ({ quoteId }: { quoteId: string }) =>
    until(
      () => confirm(bea, { quoteId, ...joana }),
      // While the debit of the accepted payment is unconfirmed, the service cannot decide about the others.
      (answer) => refusalIn(answer)[1] !== 'balance_unconfirmed',
    );
  const answers = await Promise.all(quotes.map(confirmed));
  const won = answers.filter(({ response }) => response.status === 201);
  expect(won).toHaveLength(1);
  for (const lost of answers.filter((answer) => !won.includes(answer)))
    expect(refusalIn(lost)).toEqual([422, 'insufficient_funds']);
  await reaches(bea, won.map(must)[0]?.pixPaymentId ?? '', 'completed');
  expect(await balanceOf(bea)).toBeGreaterThanOrEqual(0);
  expect(await paymentsOf(bea)).toBe(1);
});

test('a process reserves money only after another process has committed its reservation for the same user', async () => {
  const bea = await verified(world, { deposit: '100.00' });
  const [first, second] = [await quote(bea, 450), await quote(bea, 451)];
  const { app } = world.service;
  const { groupCommit, db } = app;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let isDecided = false;
  app.groupCommit = (person, decide) =>
    groupCommit(person, async (tx) => {
      const decided = await decide(tx);
      isDecided = true;
      await released;
      return decided;
    });
  const earlier = confirm(bea, { quoteId: first.quoteId, ...joana });
  await until(
    async () => isDecided,
    (is) => is,
  );
  // One process runs its decisions about a user one after the other. Decisions of two processes meet in the database.
  app.groupCommit = createGroupCommit(db, 20);
  let isAnswered = false;
  const later = confirm(bea, { quoteId: second.quoteId, ...joana }).finally(() => {
    isAnswered = true;
  });
  await until(
    async () => isAnswered || (await waitingForLocks(world.databaseUrl)) > 0,
    (is) => is,
  );
  release();
  expect((await earlier).response.status).toBe(201);
  // Until the first debit is confirmed, the remaining balance is unknown.
  expect(['balance_unconfirmed', 'insufficient_funds']).toContain(refusalIn(await later)[1]);
  app.groupCommit = groupCommit;
  await reaches(bea, must(await earlier).pixPaymentId, 'completed');
  expect(await paymentsOf(bea)).toBe(1);
});

test('a payment is refused for insufficient funds while the money is reserved for a debit that was never sent', async () => {
  const bea = await verified(world, { deposit: '100.00' });
  const [first, second] = [await quote(bea, 450), await quote(bea, 451)];
  const { db } = world.service.app;
  await byTable(db)
    .insertInto('effect_pauses')
    .values({ type: 'startConversion', operator: 'ada', reason: 'a test', paused_at: new Date() })
    .execute();
  await sleep(2 * PAUSES_KNOWN_FOR_MS);
  const accepted = must(await confirm(bea, { quoteId: first.quoteId, ...joana }));
  await until(
    () =>
      byTable(db).selectFrom('effects').selectAll().where('subject_id', '=', accepted.pixPaymentId).execute(),
    (effects) => effects.every(({ leased_by }) => leased_by === null),
  );
  expect(refusalIn(await confirm(bea, { quoteId: second.quoteId, ...joana }))).toEqual([
    422,
    'insufficient_funds',
  ]);
  await byTable(db).deleteFrom('effect_pauses').execute();
  await reaches(bea, accepted.pixPaymentId, 'completed');
});

test('a payment can use the money of an earlier payment whose conversion was refused', async () => {
  const bea = await verified(world, { deposit: '1.00' });
  // The sandbox refuses the conversion of this amount.
  const refused = await quote(bea, 3.33);
  await reaches(bea, await pay(bea, refused), 'failed');
  const next = await quote(bea, 6);
  expect(next.sourceAmount).toBeLessThanOrEqual(100);
  expect(next.sourceAmount).toBeGreaterThan(100 - refused.sourceAmount);
  const answer = await confirm(bea, { quoteId: next.quoteId, ...joana });
  expect(answer.response.status).toBe(201);
  await reaches(bea, must(answer).pixPaymentId, 'completed');
});
