// Withdrawals to the user's own bank: preconditions, final statuses and repetitions.
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { BankDetailsRequest, Transaction } from '../../openapi/generated/openapi.ts';
import { failureReasons } from '../../src/domain/failure-reasons.ts';
import { expectedSettlementSeconds } from '../../src/domain/rails.ts';
import { invalidateBalance } from '../../src/ledger/invalidate.ts';
import { encryptionContexts } from '../../src/security/encryption-contexts.ts';
import { eur, gbp } from '../support/bank-details.ts';
import { byTable } from '../support/by-table.ts';
import { call, faultIn } from '../support/http.ts';
import { growOlder } from '../support/outbox.ts';
import { balanceOf, must, type Person, refusalIn, signUp, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

let ada: Person;

const { world } = useWorld();
beforeAll(async () => {
  ada = await ready(gbp, '1000.00');
});

async function ready(bankDetails: BankDetailsRequest, deposit: string): Promise<Person> {
  const person = await verified(world, { homeCurrency: bankDetails.currency, deposit });
  must(await person.api.POST('/bank-details', { body: bankDetails }));
  return person;
}
const withdraw = ({ api }: Person, amount: number, key?: string) =>
  api.POST('/withdraws', {
    body: { amount },
    ...(key && { params: { header: { 'Idempotency-Key': key } } }),
  });
const transaction = async ({ api }: Person, id: string): Promise<Transaction> =>
  must(await api.GET('/transactions/{id}', { params: { path: { id } } }));
const ends = (person: Person, id: string, status: string) =>
  until(
    () => transaction(person, id),
    (seen) => seen.status === status,
  );
const statusesOf = (answers: { response: Response }[]) => answers.map(({ response }) => response.status);
const times = <Result>(count: number, act: () => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, act));

test('a withdrawal needs a home currency, bank details in it, an active account and money, in this order', async () => {
  const bea = await signUp(world);
  expect(refusalIn(await withdraw(bea, 100))).toEqual([409, 'home_currency_required']);
  must(await bea.api.PATCH('/me', { body: { homeCurrency: 'GBP' } }));
  must(await bea.api.POST('/bank-details', { body: eur }));
  expect(refusalIn(await withdraw(bea, 100))).toEqual([409, 'bank_details_required']);
  must(await bea.api.POST('/bank-details', { body: gbp }));
  expect(refusalIn(await withdraw(bea, 100))).toEqual([409, 'account_not_active']);
  const poor = await ready(gbp, '1.00');
  expect(refusalIn(await withdraw(poor, 101))).toEqual([422, 'insufficient_funds']);
  expect(must(await poor.api.GET('/withdraws'))).toEqual([]);
  expect((await withdraw(poor, 100)).response.status).toBe(201);
});

test.each(['0', '-1', '1.5', '0.001', '1e300', '1e400', '9007199254740992', '"100"', 'null', '[1]'])(
  'a withdrawal of %s is refused as invalid',
  async (amount) => {
    const said = { token: ada.token, body: `{"amount":${amount}}` };
    expect(faultIn(await call(world, 'POST', '/withdraws', said))).toEqual([
      400,
      'invalid_request',
      '/body/amount',
    ]);
  },
);

test('a withdrawal of the largest amount is refused for insufficient funds', async () => {
  expect(refusalIn(await withdraw(ada, Number.MAX_SAFE_INTEGER))).toEqual([422, 'insufficient_funds']);
});

test.each(['GBP', 'EUR'] as const)('a withdrawal in %s completes and debits its amount', async (currency) => {
  const person = currency === 'GBP' ? ada : await ready(eur, '50.00');
  const before = (await balanceOf(person)) ?? 0;
  const answer = await withdraw(person, 2_500);
  expect(answer.response.status).toBe(201);
  const made = must(answer);
  expect(made).toMatchObject({
    type: 'withdraw',
    status: 'settling',
    sourceCurrency: currency,
    sourceAmount: 2_500,
    provider: 'sandbox',
    expectedSettlementSeconds: expectedSettlementSeconds(currency, new Date(made.createdAt)),
  });
  const ended = await ends(person, made.id, 'completed');
  expect(ended).toMatchObject({
    type: 'withdraw',
    sourceAmount: 2_500,
    destCurrency: null,
    destAmount: null,
    fxRate: null,
    failureReason: null,
  });
  expect(ended.completedAt).not.toBeNull();
  expect(await balanceOf(person)).toBe(before - 2_500);
  const [listed] = must(await person.api.GET('/withdraws'));
  const { bankValidationStatus } = made;
  expect(listed).toEqual({
    ...made,
    status: 'completed',
    bankValidationStatus: listed?.bankValidationStatus,
  });
  expect([null, 'match']).toContain(bankValidationStatus);
});

test.each([
  ['fails', 1_313, 'withdraw_failed'],
  ['ends in an error', 1_515, 'withdraw_failed'],
  ['is rejected', 1_818, 'withdraw_failed'],
  ['is returned after it was completed', 1_414, 'withdraw_returned'],
  ['is returned immediately', 1_919, 'withdraw_returned'],
] as const)('the money is back after a withdrawal that %s', async (_what, amount, failureCode) => {
  const before = await balanceOf(ada);
  const { id } = must(await withdraw(ada, amount));
  const ended = await ends(ada, id, 'failed');
  const failureReason = failureReasons[failureCode];
  expect(ended).toMatchObject({ failureCode, failureReason, pixPaymentId: null });
  expect(await balanceOf(ada)).toBe(before);
});

test('the money of a refused withdrawal is free for the next one', async () => {
  const bea = await ready(gbp, '20.00');
  await ends(bea, must(await withdraw(bea, 1_818)).id, 'failed');
  const next = await withdraw(bea, 2_000);
  expect(next.response.status).toBe(201);
  await ends(bea, must(next).id, 'completed');
  expect(await balanceOf(bea)).toBe(0);
});

test('a withdrawal goes to the bank details of its request, whatever is saved afterwards', async () => {
  const bea = await ready(gbp, '50.00');
  const { id } = must(await withdraw(bea, 1_616));
  must(await bea.api.POST('/bank-details', { body: { ...gbp, accountNumber: '00000001' } }));
  const { db, sealer } = world.service.app;
  const row = await byTable(db)
    .selectFrom('withdraws')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect(Buffer.from(row.destination_sealed).includes('31926819')).toBe(false);
  const sent = await sealer.open(
    encryptionContexts.withdrawDestination(bea.userId, id),
    row.destination_sealed,
  );
  expect(JSON.parse(sent)).toEqual(gbp);
  // The same amount to other bank details is another withdrawal.
  expect((await withdraw(bea, 1_616)).response.status).toBe(201);
});

test('repeating a withdrawal under its key returns the original, and another amount under the key is refused', async () => {
  const key = randomUUID();
  const first = must(await withdraw(ada, 700, key));
  const again = await withdraw(ada, 700, key);
  expect([again.response.status, must(again).id]).toEqual([200, first.id]);
  expect(refusalIn(await withdraw(ada, 701, key))).toEqual([422, 'idempotency_key_reused']);
  await growOlder(world, 3_600_000);
  const late = await withdraw(ada, 700, key);
  expect(must(late).id).toBe(first.id);
  // A withdrawal under another key is a new one, even within the minute.
  const other = await withdraw(ada, 700, randomUUID());
  expect(other.response.status).toBe(201);
  expect((await withdraw(ada, 700, randomUUID())).response.status).toBe(201);
});

test('a repetition under its key returns the withdrawal while the account is not active', async () => {
  const bea = await ready(gbp, '50.00');
  const key = randomUUID();
  const first = must(await withdraw(bea, 600, key));
  const { db } = world.service.app;
  const accounts = byTable(db).updateTable('provider_accounts').where('user_id', '=', bea.userId);
  await accounts.set({ state: 'provisioning' }).execute();
  expect(must(await withdraw(bea, 600, key)).id).toBe(first.id);
  expect(refusalIn(await withdraw(bea, 600, randomUUID()))).toEqual([409, 'account_not_active']);
  await accounts.set({ state: 'active' }).execute();
  await ends(bea, first.id, 'completed');
});

test.each([
  ['under one key', () => randomUUID()],
  ['without a key', () => undefined],
])('concurrent withdrawals %s are one withdrawal', async (_what, makeKey) => {
  const bea = await ready(gbp, '50.00');
  const key = makeKey();
  const answers = await times(8, () => withdraw(bea, 600, key));
  expect(statusesOf(answers).filter((status) => status === 201)).toHaveLength(1);
  expect(statusesOf(answers).filter((status) => status === 200)).toHaveLength(7);
  expect(new Set(answers.map((answer) => must(answer).id)).size).toBe(1);
  await ends(bea, answers.map(must)[0]?.id ?? '', 'completed');
  expect(await balanceOf(bea)).toBe(4_400);
});

test('repeating a withdrawal without a key returns the original for a minute, unless it failed', async () => {
  const first = must(await withdraw(ada, 800));
  expect(must(await withdraw(ada, 800)).id).toBe(first.id);
  expect(must(await withdraw(ada, 801)).id).not.toBe(first.id);
  await growOlder(world, 60_001);
  const late = await withdraw(ada, 800);
  expect(must(late).id).not.toBe(first.id);

  const failed = must(await withdraw(ada, 1_313));
  await ends(ada, failed.id, 'failed');
  const next = await withdraw(ada, 1_313);
  expect([next.response.status, must(next).id === failed.id]).toEqual([201, false]);
});

test('only one of several concurrent withdrawals that together exceed the balance is accepted', async () => {
  const bea = await ready(gbp, '100.00');
  const answers = await Promise.all([6_000, 6_001, 6_002].map((amount) => withdraw(bea, amount)));
  expect(statusesOf(answers).filter((status) => status === 201)).toHaveLength(1);
  expect(statusesOf(answers).filter((status) => status === 422)).toHaveLength(2);
  expect(must(await bea.api.GET('/withdraws'))).toHaveLength(1);
});

test('a withdrawal is accepted while the balance keeps changing, if there is enough', async () => {
  const { app } = world.service;
  const { provider } = app;
  const getAccount: typeof provider.getAccount = async (ref) => {
    const account = await provider.getAccount(ref);
    await invalidateBalance(app.db, ada.userId);
    return account;
  };
  app.provider = { ...provider, getAccount };
  expect((await withdraw(ada, 900)).response.status).toBe(201);
  app.provider = provider;
});
