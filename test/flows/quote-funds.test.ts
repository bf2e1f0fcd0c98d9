// A quote says whether the balance covers it, as far as this is known without asking the provider.
import { expect, test } from 'vitest';
import { byTable } from '../support/by-table.ts';
import { balanceOf, must, type Person, pay, quote, reaches, signUp, verified } from '../support/person.ts';
import { accountRefOf } from '../support/upstream.ts';
import { useWorld } from '../support/use-world.ts';

const { world, proxy, ada } = useWorld({ proxy: true, deposit: '100.00' });

const askedFor = async (person: Person, amountBrl: number): Promise<boolean | null | undefined> =>
  (await quote(person, amountBrl)).sufficientFunds;

test('a quote says whether the balance that was read last covers it', async () => {
  await balanceOf(ada);
  const { sourceAmount, sufficientFunds } = await quote(ada, 100);
  expect({ isLess: sourceAmount < 10_000, sufficientFunds }).toEqual({ isLess: true, sufficientFunds: true });
  expect(await askedFor(ada, 5_000)).toBe(false);
});

test('a quote that costs exactly the balance is covered, and one penny less does not cover it', async () => {
  const bob = await verified(world, { deposit: '100.00' });
  await balanceOf(bob);
  const { sourceAmount } = await quote(bob, 100);
  const keep = (balance_minor: number) =>
    byTable(world.service.app.db)
      .updateTable('users')
      .set({ balance_minor })
      .where('id', '=', bob.userId)
      .execute();
  await keep(sourceAmount);
  expect(await askedFor(bob, 100)).toBe(true);
  await keep(sourceAmount - 1);
  expect(await askedFor(bob, 100)).toBe(false);
});

test('money that is promised to an earlier payment is not counted', async () => {
  const bea = await verified(world, { deposit: '100.00' });
  await balanceOf(bea);
  const first = await quote(bea, 400);
  expect([first.sourceAmount > 5_000, first.sufficientFunds]).toEqual([true, true]);
  const ref = await accountRefOf(world, bea.userId, 'GBP');
  const spoilt = proxy.spoil({
    operation: 'createInternalTransfer',
    spoilt: { status: 503 },
    forwarded: false,
    about: ref,
    times: Number.POSITIVE_INFINITY,
  });
  const payment = await pay(bea, first);
  expect(await askedFor(bea, 400)).toBe(false);
  expect(await askedFor(bea, 50)).toBe(true);
  spoilt.heal();
  await reaches(bea, payment, 'completed');
  // The debit has left the account, and the balance has not been read since.
  expect(await askedFor(bea, 50)).toBeNull();
  await balanceOf(bea);
  expect(await askedFor(bea, 400)).toBe(false);
  expect(await askedFor(bea, 50)).toBe(true);
});

test('a quote without a recent balance says that it is unknown, and the payment is decided by the provider’s balance', async () => {
  const newcomer = await signUp(world);
  must(await newcomer.api.PATCH('/me', { body: { homeCurrency: 'EUR' } }));
  expect(await askedFor(newcomer, 10)).toBeNull();

  // The deposit has invalidated the balance that was read before it.
  const eve = await verified(world, { deposit: '100.00' });
  const unknown = await quote(eve, 10);
  expect(unknown.sufficientFunds).toBeNull();
  await reaches(eve, await pay(eve, unknown), 'completed');

  await balanceOf(eve);
  expect(await askedFor(eve, 10)).toBe(true);
  await byTable(world.service.app.db)
    .updateTable('users')
    .set({ balance_read_at: new Date(Date.now() - 601_000) })
    .where('id', '=', eve.userId)
    .execute();
  expect(await askedFor(eve, 10)).toBeNull();
});

test('a quote asks the provider for a price and for nothing else', async () => {
  const zoe = await verified(world, { deposit: '100.00' });
  await balanceOf(zoe);
  await byTable(world.service.app.db)
    .updateTable('provider_resources')
    .set({ next_poll_at: null })
    .where('user_id', '=', zoe.userId)
    .execute();
  const ref = await accountRefOf(world, zoe.userId, 'GBP');
  const before = { balances: proxy.count('getAccount', ref), prices: proxy.count('createQuote') };
  expect(await askedFor(zoe, 10)).toBe(true);
  expect(await askedFor(zoe, 5_000)).toBe(false);
  expect({ balances: proxy.count('getAccount', ref), prices: proxy.count('createQuote') }).toEqual({
    balances: before.balances,
    prices: before.prices + 2,
  });
});
