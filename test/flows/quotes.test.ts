// Quotes: which amounts have a price, what the price says, and what it costs to have none yet.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byTable } from '../support/by-table.ts';
import { call, faultIn } from '../support/http.ts';
import { must, type Person, quote, refusalIn, signUp } from '../support/person.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;
let ada: Person;

beforeAll(async () => {
  world = await startWorld({ env: { SERVICE_SPREAD_BPS: '150' } });
  ada = await signUp(world);
  must(await ada.api.PATCH('/me', { body: { homeCurrency: 'GBP' } }));
});
afterAll(() => world.stop());

const ask = (body: string) => call(world, 'POST', '/pix/quote', { token: ada.token, body });
const quotesOf = async ({ userId }: Person) =>
  byTable(world.service.app.db).selectFrom('pix_quotes').selectAll().where('user_id', '=', userId).execute();

it('needs a home currency, and nothing else', async () => {
  const bea = await signUp(world);
  const refused = await bea.api.POST('/pix/quote', { body: { amountBrl: 10 } });
  expect(refusalIn(refused)).toEqual([409, 'home_currency_required']);
  expect(await quotesOf(bea)).toEqual([]);
  must(await bea.api.PATCH('/me', { body: { homeCurrency: 'EUR' } }));
  expect((await quote(bea, 10)).sourceCurrency).toBe('EUR');
});

describe('an amount without a price', () => {
  it.each([
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
  ])('%s', async (amountBrl) => {
    const before = (await quotesOf(ada)).length;
    const answer = await ask(`{"amountBrl":${amountBrl}}`);
    expect(faultIn(answer)).toEqual([400, 'invalid_request', '/body/amountBrl']);
    expect(await quotesOf(ada)).toHaveLength(before);
  });

  it('is a 422 where the provider has no price for it', async () => {
    const before = (await quotesOf(ada)).length;
    expect(faultIn(await ask('{"amountBrl":4.44}'))).toEqual([422, 'amount_not_supported']);
    expect(await quotesOf(ada)).toHaveLength(before);
  });

  it('is too large for any balance', async () => {
    const answer = await ask('{"amountBrl":70368744177663.98}');
    expect(faultIn(answer)).toEqual([422, 'amount_not_supported']);
  });
});

describe('an amount with a price', () => {
  it.each(['0.01', '0.07', '0.29', '1.1', '19.99', '1e2', '100.00', '1000000'])('%s', async (amountBrl) => {
    const answer = await ask(`{"amountBrl":${amountBrl}}`);
    expect(answer.status).toBe(200);
    const { rate, sourceAmount } = answer.body as { rate: number; sourceAmount: number };
    // Whole pence, rounded up, never more than a penny beside the formula.
    const exact = (Number(amountBrl) / rate) * 1.015 * 100;
    expect(Number.isInteger(sourceAmount)).toBe(true);
    expect(sourceAmount - exact).toBeGreaterThan(-0.001);
    expect(sourceAmount - exact).toBeLessThan(1.001);
  });

  it('has one that says everything, for a minute', async () => {
    const quoted = await quote(ada, 150);
    expect(quoted).toMatchObject({ sourceCurrency: 'GBP', serviceSpreadBps: 150 });
    expect(quoted.quoteId).toMatch(/^quote_[\da-f-]{36}$/);
    const livesMs = Date.parse(quoted.expiresAt) - Date.now();
    expect(livesMs).toBeGreaterThan(50_000);
    expect(livesMs).toBeLessThanOrEqual(60_000);
  });

  it('has a shorter one where the provider’s is', async () => {
    const { expiresAt } = await quote(ada, 5.55);
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThan(1_500);
  });

  it('has a new one each time', async () => {
    const [one, other] = await Promise.all([quote(ada, 10), quote(ada, 10)]);
    expect(one.quoteId).not.toBe(other.quoteId);
  });
});
