// Amounts and currencies that differ from the request: in the quote, in the movement, or only in the report.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { injectedFaults, misreport, orderFault } from '../support/provider-faults.ts';
import { endFaults, faults, injectFaults, stopFaults } from './fault-injection-support.ts';
import {
  convert,
  fpsBody,
  fundedWallet,
  type Listener,
  listen,
  payoutBecomes,
  pixBody,
  quoteBrl,
  readAccount,
  readPayout,
  readTransfer,
  type Schemas,
  transferBody,
  until,
} from './support.ts';
import { useUpstream } from './use-upstream.ts';

const { upstream, wallet } = useUpstream({ wallet: 'own' });
let listener: Listener;
beforeAll(async () => {
  listener = await listen();
});
afterAll(() => listener.close());
afterEach(() => endFaults(upstream));

const balanceOf = async ({ uuid }: Schemas['Account']) => (await readAccount(upstream, uuid)).balance;
const payOut = async (body: Schemas['PayoutCreate']) =>
  (await upstream.post<Schemas['Payout']>('/v1/payouts/', body)).body;
const lastMovement = async ({ uuid }: Schemas['Account']) =>
  (await upstream.get<Schemas['MovementPage']>(`/v1/accounts/${uuid}/movements/?limit=1000`)).body.results.at(
    -1,
  )?.amount;

const orderQuote = (details: Record<string, string>) =>
  orderFault(upstream.url, { operation: 'createQuote', fault: 'wrongQuote', details });

test.each([
  [{ destination_amount: '90.00' }, { destination_amount: '90.00', destination_currency: 'BRL' }],
  [{ source_currency: 'EUR' }, { source_currency: 'EUR', destination_amount: '100.00' }],
  [
    { destination_currency: 'USDC', destination_amount: '90.000000' },
    { destination_currency: 'USDC', destination_amount: '90.000000' },
  ],
  [{ source_amount: '0.00' }, { source_amount: '0.00', source_currency: 'GBP' }],
  [{ source_amount: '1.44' }, { source_amount: '1.44', destination_amount: '100.00' }],
])('a wrong quote has the requested values: %j', async (details, said) => {
  await orderQuote(details);
  const wrong = await quoteBrl(upstream, '100.00');
  expect(wrong).toMatchObject(said);
  expect((await quoteBrl(upstream, '100.00')).destination_amount).toBe('100.00');
  expect(await injectedFaults(upstream.url, wrong.uuid)).toMatchObject([{ kind: 'provider.wrongQuote' }]);
});

test('a wrong quote is binding: a conversion moves its amounts', async () => {
  await orderQuote({ source_amount: '0.00', destination_amount: '90.00' });
  const body = transferBody(wallet, await quoteBrl(upstream, '100.00'));
  await upstream.post('/v1/internal_transfers/', body);
  await until(
    () => balanceOf(wallet.brl),
    (balance) => balance === '90.00',
  );
  expect(await balanceOf(wallet.home)).toBe('1000.00');
});

test('a random wrong quote is wrong in each of four ways', async () => {
  await injectFaults(upstream, { seed: 5, provider: { wrongQuote: 1 } });
  const ways = new Set<string>();
  for (let nth = 0; nth < 24; nth++) {
    const wrong = await quoteBrl(upstream, '100.00');
    if (wrong.source_currency !== 'GBP') ways.add('source currency');
    else if (wrong.destination_currency !== 'BRL') ways.add('destination currency');
    else if (wrong.source_amount === '0.00') ways.add('for nothing');
    else if (wrong.destination_amount !== '100.00') ways.add('destination amount');
    else ways.add('right');
  }
  expect(ways).toEqual(
    new Set(['source currency', 'destination currency', 'for nothing', 'destination amount']),
  );
  expect(await faults(upstream)).toEqual({ 'provider.wrongQuote': 24 });
});

test('a conversion debits the requested amount instead of the quoted one', async () => {
  await orderFault(upstream.url, {
    operation: 'createInternalTransfer',
    fault: 'wrongDebit',
    details: { source_amount: '104.59' },
  });
  const transfer = await convert(upstream, wallet, '20.00');
  expect(transfer).toMatchObject({
    status: 'COMPLETED',
    source_amount: '104.59',
    destination_amount: '20.00',
  });
  expect(await balanceOf(wallet.home)).toBe('895.41');
  expect(await lastMovement(wallet.home)).toBe('104.59');
});

test('a conversion delivers the requested amount, which can be zero', async () => {
  for (const destination_amount of ['19.00', '0.00'])
    await orderFault(upstream.url, {
      operation: 'createInternalTransfer',
      fault: 'wrongDelivery',
      details: { destination_amount },
    });
  expect(await convert(upstream, wallet, '20.00')).toMatchObject({ destination_amount: '19.00' });
  expect(await convert(upstream, wallet, '20.00')).toMatchObject({ destination_amount: '0.00' });
  expect(await balanceOf(wallet.brl)).toBe('19.00');
});

test('a random wrong conversion differs by up to a tenth, and never takes more than the balance', async () => {
  await injectFaults(upstream, { seed: 1, provider: { wrongDebit: 1, wrongDelivery: 1 } });
  const seen: number[] = [];
  for (let nth = 0; nth < 8; nth++) {
    const quote = await quoteBrl(upstream, '50.00');
    const body = transferBody(wallet, quote);
    const { uuid } = (await upstream.post<Schemas['InternalTransfer']>('/v1/internal_transfers/', body)).body;
    const { source_amount, destination_amount } = await readTransfer(upstream, uuid);
    for (const [is, should] of [
      [source_amount, quote.source_amount],
      [destination_amount, quote.destination_amount],
    ])
      seen.push(Number(is) / Number(should));
  }
  expect(seen.filter((share) => share === 1 || Math.abs(share - 1) > 0.101)).toEqual([]);
  expect(new Set(seen.map((share) => share > 1)).size).toBe(2);
  expect(await faults(upstream)).toEqual({ 'provider.wrongDebit': 8, 'provider.wrongDelivery': 8 });

  await stopFaults(upstream);
  const { uuid } = await payOut(fpsBody(wallet, await balanceOf(wallet.home)));
  await payoutBecomes(upstream, uuid, 'COMPLETED');
  expect(await balanceOf(wallet.home)).toBe('0.00');
});

test('a payout pays the requested wrong amount, and a return gives that amount back', async () => {
  await orderFault(upstream.url, {
    operation: 'createPayout',
    fault: 'wrongPayout',
    details: { amount: '9.00' },
  });
  const body = fpsBody(wallet, '10.00');
  const { uuid, amount } = await payOut(body);
  expect(amount).toBe('9.00');
  await payoutBecomes(upstream, uuid, 'COMPLETED');
  expect(await balanceOf(wallet.home)).toBe('991.00');
  expect(await payOut(body)).toMatchObject({ uuid, amount: '9.00' });
  await upstream.post(`/sandbox/payouts/${uuid}/refund`);
  expect(await balanceOf(wallet.home)).toBe('1000.00');
});

test('a random wrong payout pays less if the balance does not cover more', async () => {
  await injectFaults(upstream, { seed: 2, provider: { wrongPayout: 1 } });
  for (let nth = 0; nth < 6; nth++) {
    const { home } = await fundedWallet(upstream);
    const { amount, status } = await payOut({
      ...fpsBody(wallet, '1000.00'),
      source_account_uuid: home.uuid,
    });
    expect(status).toBe('PENDING');
    expect(Number(amount)).toBeLessThan(1000);
  }
});

test('a misreported payout shows an amount and a currency that it did not pay', async () => {
  await orderFault(upstream.url, {
    operation: 'createPayout',
    fault: 'misreported',
    details: { amount: '999.00', currency: 'EUR' },
  });
  const body = { ...fpsBody(wallet, '10.00'), callback_url: listener.url };
  const payout = await payOut(body);
  expect(payout).toMatchObject({ amount: '999.00', currency: 'EUR' });
  await payoutBecomes(upstream, payout.uuid, 'COMPLETED');
  const told = await until(
    () => listener.received.find(({ data }) => data['uuid'] === payout.uuid),
    (callback) => callback !== undefined,
  );
  expect(told?.data).toMatchObject({ status: 'COMPLETED', amount: '999.00', currency: 'EUR' });
  expect(await balanceOf(wallet.home)).toBe('990.00');
  expect(await injectedFaults(upstream.url, body.origin_id)).toMatchObject([
    {
      kind: 'provider.misreported',
      resource_uuid: payout.uuid,
      details: { reported: { amount: '999.00', currency: 'EUR' } },
    },
  ]);
});

test('a random misreported payout shows either a wrong amount or a wrong currency', async () => {
  await convert(upstream, wallet, '100.00');
  await injectFaults(upstream, { seed: 4, provider: { misreported: 1 } });
  const said = new Set<string>();
  for (let nth = 0; nth < 12; nth++) {
    const { amount, currency } = await payOut(pixBody(wallet, '5.00'));
    said.add(currency === 'BRL' ? (amount === '5.00' ? 'the truth' : 'amount') : 'currency');
  }
  expect(said).toEqual(new Set(['amount', 'currency']));
  expect(await balanceOf(wallet.brl)).toBe('40.00');
});

test('a payout is reported with given values until the report is ended', async () => {
  const { uuid } = await payOut(fpsBody(wallet, '10.00'));
  await payoutBecomes(upstream, uuid, 'COMPLETED');
  await misreport(upstream.url, uuid, { amount: '9.00', rail: 'PIX' });
  expect(await readPayout(upstream, uuid)).toMatchObject({ amount: '9.00', rail: 'PIX' });
  await misreport(upstream.url, uuid, {});
  expect(await readPayout(upstream, uuid)).toMatchObject({ amount: '10.00', rail: 'FPS' });
});

test('an unreadable object has an unknown status in lists, and can be read by its uuid and by its handle', async () => {
  await orderFault(upstream.url, { operation: 'createPayout', fault: 'unreadable' });
  const { uuid, origin_id } = await payOut(fpsBody(wallet, '1.00'));
  const listed = async () =>
    (await upstream.get<Schemas['PayoutPage']>('/v1/payouts/?limit=1000')).body.results.find(
      (one) => one.uuid === uuid,
    );
  expect(await listed()).toMatchObject({ status: 'ON_HOLD' });
  await stopFaults(upstream);
  expect(await listed()).toMatchObject({ status: 'ON_HOLD' });
  expect((await readPayout(upstream, uuid)).status).not.toBe('ON_HOLD');
  const found = await upstream.get<Schemas['PayoutPage']>(`/v1/payouts/?origin_id=${origin_id}`);
  expect(found.body.results).toMatchObject([
    { uuid, status: expect.not.stringMatching('ON_HOLD') as string },
  ]);
  expect(await injectedFaults(upstream.url, uuid)).toMatchObject([{ kind: 'provider.unreadable' }]);
});
