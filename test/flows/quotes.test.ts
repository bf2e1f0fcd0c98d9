// Quotes: which amounts have a price, what a quote contains, and how long it lives.
import { beforeAll, expect, test } from 'vitest';
import { byTable } from '../support/by-table.ts';
import { call, faultIn } from '../support/http.ts';
import { must, type Person, quote, refusalIn, signUp } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';

let ada: Person;

const { world } = useWorld({ env: { SERVICE_SPREAD_BPS: '150' } });
beforeAll(async () => {
  ada = await signUp(world);
  must(await ada.api.PATCH('/me', { body: { homeCurrency: 'GBP' } }));
});

const ask = (body: string) => call(world, 'POST', '/pix/quote', { token: ada.token, body });
const quotesOf = async ({ userId }: Person) =>
  byTable(world.service.app.db).selectFrom('pix_quotes').selectAll().where('user_id', '=', userId).execute();

test('a quote needs a home currency, and nothing else', async () => {
  const bea = await signUp(world);
  const refused = await bea.api.POST('/pix/quote', { body: { amountBrl: 10 } });
  expect(refusalIn(refused)).toEqual([409, 'home_currency_required']);
  expect(await quotesOf(bea)).toEqual([]);
  must(await bea.api.PATCH('/me', { body: { homeCurrency: 'EUR' } }));
  expect((await quote(bea, 10)).sourceCurrency).toBe('EUR');
});

test.each([
  '0',
  '-0',
  '-1',
  '0.001',
  '0.009',
  '1.005',
  '19.999',
  '1e-7',
  '1e300',
  '1e400',
  '-1e400',
  '70368744177664',
  '90071992547409.92',
  '123456789012345678901234567890',
  '"10"',
  '"10.00"',
  'null',
  'true',
  '[10]',
  '{"value":10}',
])('the amount %s is refused as invalid', async (amountBrl) => {
  const before = (await quotesOf(ada)).length;
  const answer = await ask(`{"amountBrl":${amountBrl}}`);
  expect(faultIn(answer)).toEqual([400, 'invalid_request', '/body/amountBrl']);
  expect(await quotesOf(ada)).toHaveLength(before);
});

test('an amount for which the provider has no price is refused with 422', async () => {
  const before = (await quotesOf(ada)).length;
  expect(faultIn(await ask('{"amountBrl":4.44}'))).toEqual([422, 'amount_not_supported']);
  expect(await quotesOf(ada)).toHaveLength(before);
});

test('an amount that is too large for any balance is refused with 422', async () => {
  const answer = await ask('{"amountBrl":70368744177663.98}');
  expect(faultIn(answer)).toEqual([422, 'amount_not_supported']);
});

test.each(['0.01', '0.07', '0.29', '1.1', '19.99', '1e2', '100.00', '1000000'])(
  'the price of %s follows the formula, rounded up to whole pence',
  async (amountBrl) => {
    const answer = await ask(`{"amountBrl":${amountBrl}}`);
    expect(answer.status).toBe(200);
    const { rate, sourceAmount } = answer.body as { rate: number; sourceAmount: number };
    // The price is in whole pence, rounded up, and at most a penny above the formula.
    const exact = (Number(amountBrl) / rate) * 1.015 * 100;
    expect(Number.isInteger(sourceAmount)).toBe(true);
    expect(sourceAmount - exact).toBeGreaterThan(-0.001);
    expect(sourceAmount - exact).toBeLessThan(1.001);
  },
);

test('a quote says which part of the price is the fee, and the rate with the fee included', async () => {
  const { rate, sourceAmount, feeAmount, effectiveRate } = await quote(ada, 150);
  const atRate = Math.ceil(15_000 / rate);
  expect(feeAmount).toBe(sourceAmount - atRate);
  expect(feeAmount).toBeGreaterThanOrEqual(Math.floor(atRate * 0.015));
  expect(effectiveRate).toBeCloseTo(15_000 / sourceAmount, 7);
});

test('a quote contains its currency and its spread, and lives for a minute', async () => {
  const before = Date.now();
  const quoted = await quote(ada, 150);
  const after = Date.now();
  expect(quoted).toMatchObject({ sourceCurrency: 'GBP', serviceSpreadBps: 150 });
  expect(quoted.quoteId).toMatch(/^quote_[\da-f-]{36}$/);
  const expiresAt = Date.parse(quoted.expiresAt);
  expect(expiresAt).toBeGreaterThanOrEqual(before + 60_000);
  expect(expiresAt).toBeLessThanOrEqual(after + 60_000);
});

test('a quote expires with the provider’s quote if that lives for less than a minute', async () => {
  const { expiresAt } = await quote(ada, 5.55);
  expect(Date.parse(expiresAt)).toBeLessThan(Date.now() + 1_500);
});

test('each request gets a new quote', async () => {
  const [one, other] = await Promise.all([quote(ada, 10), quote(ada, 10)]);
  expect(one.quoteId).not.toBe(other.quoteId);
});
