// A quote that does not match its request is not a price: no user is offered it, and no conversion uses it.
import { expect, test } from 'vitest';
import { byTable } from '../support/by-table.ts';
import { balanceOf, pay, quote, reaches, refusalIn, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import type { WireObject } from '../support/upstream-proxy.ts';
import { useWorld } from '../support/use-world.ts';

const { world, proxy, ada } = useWorld({ proxy: true, deposit: '1000.00' });

const atHalfTheRate = (truth: WireObject): WireObject => ({
  ...truth,
  rate: (Number(truth['rate']) / 2).toFixed(8),
  destination_amount: (
    Number(truth['source_amount']) * Number((Number(truth['rate']) / 2).toFixed(8))
  ).toFixed(6),
});
const quotes = () => byTable(world.service.app.db).selectFrom('pix_quotes').selectAll().execute();

test.for<[string, WireObject]>([
  ['that pays the merchant less', { destination_amount: '90.00' }],
  ['that pays the merchant a centavo more', { destination_amount: '100.01' }],
  ['from another currency', { source_currency: 'EUR' }],
  ['to another currency', { destination_currency: 'EUR' }],
  ['that costs nothing', { source_amount: '0.00' }],
  ['that costs a hundredth of its price', { source_amount: '0.14' }],
  ['that costs a hundred times its price', { source_amount: '1432.97' }],
  ['whose amounts do not match its rate', { rate: '7.35120000' }],
  ['with another markup', { markup_bps: 0 }],
])('a quote %s is answered with 502 and not stored', async ([_what, said]) => {
  const before = await quotes();
  const lie = proxy.lie({ operation: 'createQuote', change: (truth) => ({ ...truth, ...said }) });
  const answer = await ada.api.POST('/pix/quote', { body: { amountBrl: 100 } });
  lie.heal();
  expect(refusalIn(answer)).toEqual([502, 'provider_unavailable']);
  expect(lie.hits()).toBe(1);
  expect(await quotes()).toEqual(before);
});

test.for([0.01, 0.07, 1, 100, 99_999.99, 1_000_000])(
  'a true quote for R$ %d is a price in one hop and in two',
  async (amountBrl) => {
    expect((await quote(ada, amountBrl)).sourceAmount).toBeGreaterThan(0);
    const { config } = world.service.app;
    world.service.app.config = { ...config, usdcAccountsEnabled: true };
    expect((await quote(ada, amountBrl)).sourceAmount).toBeGreaterThan(0);
    world.service.app.config = config;
  },
);

test.for<[string, number, [number, string] | null]>([
  ['is requested again, and the next one is sold', 1, null],
  ['a second time is answered with 502', 2, [502, 'provider_unavailable']],
])('a locked quote that delivers too little for leg 2 %s', async ([_what, times, refusal]) => {
  const { config } = world.service.app;
  world.service.app.config = { ...config, usdcAccountsEnabled: true };
  const before = (await quotes()).length;
  let locked = 0;
  // The second quote to USDC of each price is the locked one.
  const lie = proxy.lie({
    operation: 'createQuote',
    change: (truth) => {
      if (truth['destination_currency'] !== 'USDC') return truth;
      locked += 1;
      return locked % 2 === 0 && locked <= 2 * times ? atHalfTheRate(truth) : truth;
    },
  });
  const answer = await ada.api.POST('/pix/quote', { body: { amountBrl: 100 } });
  lie.heal();
  world.service.app.config = config;
  expect(answer.response.ok ? null : refusalIn(answer)).toEqual(refusal);
  expect((await quotes()).length - before).toBe(refusal === null ? 1 : 0);
});

test('a rate that the provider cuts to fewer places is accepted', async () => {
  const lie = proxy.lie({
    operation: 'createQuote',
    change: (truth) => ({ ...truth, rate: Number(truth['rate']).toFixed(5) }),
  });
  expect((await quote(ada, 1_000_000)).sourceAmount).toBeGreaterThan(0);
  lie.heal();
});

const toldAtLeast = (lie: { hits: () => number }, times: number) =>
  until(
    async () => lie.hits(),
    (hits) => hits >= times,
  );

test('a second conversion does not use a quote for another amount, and takes another quote', async () => {
  const { config } = world.service.app;
  world.service.app.config = { ...config, usdcAccountsEnabled: true };
  const cleo = await verified(world, { deposit: '100.00' });
  const quoted = await quote(cleo, 100);
  const lie = proxy.lie({
    operation: 'createQuote',
    about: '"source_currency":"USDC","source_amount"',
    change: (truth) => ({
      ...truth,
      source_amount: (Number(truth['source_amount']) * 0.9).toFixed(6),
      destination_amount: '90.00',
    }),
  });
  const paymentId = await pay(cleo, quoted);
  await toldAtLeast(lie, 2);
  expect(proxy.count('createInternalTransfer')).toBe(1);
  lie.heal();
  const payment = await reaches(cleo, paymentId, 'completed');
  expect(payment.amountBrl).toBe('100.00');
  expect(await balanceOf(cleo)).toBe(10_000 - quoted.sourceAmount);
  world.service.app.config = config;
});

test('a conversion back does not use a quote that costs more than its subsidy allows', async () => {
  const { config } = world.service.app;
  world.service.app.config = { ...config, usdcAccountsEnabled: true };
  const dora = await verified(world, { deposit: '100.00' });
  const quoted = await quote(dora, 6.66);
  const lie = proxy.lie({
    operation: 'createQuote',
    about: '"destination_currency":"GBP"',
    change: (truth) => ({ ...truth, subsidy_amount: String(truth['source_amount']) }),
  });
  const paymentId = await pay(dora, quoted);
  await toldAtLeast(lie, 1);
  lie.heal();
  await reaches(dora, paymentId, 'refunded');
  expect(await balanceOf(dora)).toBe(10_000);
  world.service.app.config = config;
});
