// A user closes the account: data that only served the app is deleted immediately, data that the law requires is kept, and
// money in flight still arrives.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { Tables } from '../../src/tables/entities.ts';
import { gbp } from '../support/bank-details.ts';
import { byTable } from '../support/by-table.ts';
import { must, passVerification, pay, quote, reaches, refusalIn, signUp } from '../support/person.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

const { world, proxy, ada, db } = useWorld({ proxy: true, deposit: '500.00' });

beforeAll(async () => {
  must(await ada.api.POST('/bank-details', { body: gbp }));
});

test('closing an account purges data that is no longer needed, keeps identity, bank details and money, and lets payments in progress finish', async () => {
  await reaches(ada, await pay(ada, await quote(ada, 20)), 'completed');
  const unused = await quote(ada, 40);
  const headers = { 'Idempotency-Key': randomUUID() };
  must(await ada.api.POST('/me/data-request', { body: { type: 'access' }, params: { header: headers } }));
  const held = proxy.spoil({
    operation: 'createPayout',
    spoilt: { status: 503 },
    forwarded: false,
    times: 1_000,
  });
  const payment = await pay(ada, await quote(ada, 30));
  await reaches(ada, payment, 'paying');
  const { id: withdraw } = must(await ada.api.POST('/withdraws', { body: { amount: 1_000 } }));
  await expect.poll(held.hits, { timeout: 20_000 }).toBeGreaterThan(1);
  must(await ada.api.GET('/me'));

  must(await ada.api.DELETE('/me'));
  expect(await userRow()).toMatchObject({
    display_name: '',
    email_sealed: null,
    balance_minor: null,
    balance_read_at: null,
    closed_at: expect.any(Date) as Date,
  });
  expect(await rowsOf('idempotency_keys')).toEqual([]);
  const quotes = (await rowsOf('pix_quotes')).map((row) => `quote_${String(row['id'])}`);
  expect([quotes.length, quotes.includes(unused.quoteId)]).toEqual([2, false]);
  expect(await rowsOf('provider_accounts')).toMatchObject([
    { state: 'active', deposit_instructions_sealed: null },
    { state: 'active', deposit_instructions_sealed: null },
  ]);
  expect(await rowsOf('kyc_verifications')).toMatchObject([
    { identity_sealed: expect.any(Buffer) as Buffer },
  ]);
  expect(await rowsOf('bank_details')).toHaveLength(1);

  held.heal();
  const stateOf = async (table: 'pix_payments' | 'withdraws', id: string) =>
    (await rowsOf(table)).find((row) => row['id'] === id)?.['state'];
  await until(
    async () => [await stateOf('pix_payments', payment), await stateOf('withdraws', withdraw)],
    (states) => states.every((state) => state === 'completed'),
  );
  const transactions = await rowsOf('transactions');
  expect(transactions.map((row) => row['status'])).toEqual(transactions.map(() => 'completed'));
});

test('a provider account that opens after its owner has left stores no deposit instructions', async () => {
  const held = proxy.spoil({
    operation: 'createAccount',
    spoilt: { status: 503 },
    forwarded: false,
    times: 1_000,
  });
  const bea = await signUp(world);
  must(await bea.api.PATCH('/me', { body: { homeCurrency: 'EUR' } }));
  await passVerification(bea);
  await until(
    async () => must(await bea.api.GET('/kyc/status')).status,
    (status) => status === 'completed',
  );
  await expect.poll(held.hits, { timeout: 20_000 }).toBeGreaterThan(0);
  must(await bea.api.DELETE('/me'));

  held.heal();
  const accounts = await until(
    () => rowsOf('provider_accounts', bea),
    (rows) => rows.length === 2 && rows.every(({ state }) => state === 'active'),
  );
  expect(accounts.map((row) => row['deposit_instructions_sealed'])).toEqual([null, null]);
});

test('a quote that arrives after the account was closed is not stored', async () => {
  const cleo = await signUp(world);
  must(await cleo.api.PATCH('/me', { body: { homeCurrency: 'GBP' } }));
  const { provider } = world.service.app;
  const createQuote: typeof provider.createQuote = async (request) => {
    must(await cleo.api.DELETE('/me'));
    return provider.createQuote(request);
  };
  world.service.app.provider = { ...provider, createQuote };
  const answer = await cleo.api.POST('/pix/quote', { body: { amountBrl: 10 } });
  world.service.app.provider = provider;
  expect(refusalIn(answer)).toEqual([403, 'account_closed']);
  expect(await rowsOf('pix_quotes', cleo)).toEqual([]);
});

const userRow = () =>
  byTable(db()).selectFrom('users').selectAll().where('id', '=', ada.userId).executeTakeFirstOrThrow();

async function rowsOf(table: keyof Tables, { userId } = ada): Promise<Record<string, unknown>[]> {
  const { rows } = await sql<Record<string, unknown>>`
    select * from ${sql.table(table)} where user_id = ${userId}
  `.execute(db());
  return rows;
}
