// Injected business faults, with books that stay balanced.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { endFaults, faults, injectFaults, stopFaults } from './fault-injection-support.ts';
import {
  convert,
  fpsBody,
  fundedWallet,
  handle,
  ledger,
  payoutBecomes,
  quote,
  quoteBrl,
  readAccount,
  readTransfer,
  type Schemas,
  startUpstream,
  transferBody,
  until,
  type Wallet,
} from './support.ts';
import { useUpstream } from './use-upstream.ts';

let clockOffsetMs = 0;
const { upstream, wallet } = useUpstream({ wallet: 'own', now: () => Date.now() + clockOffsetMs });
afterEach(() => endFaults(upstream));

const balanceOf = async ({ uuid }: Schemas['Account']) => (await readAccount(upstream, uuid)).balance;
const payOut = async (amount: string) =>
  (await upstream.post<Schemas['Payout']>('/v1/payouts/', fpsBody(wallet, amount))).body;

test('the fault shortByOne delivers a centavo less or more, and the exchange bears the difference', async () => {
  const exchanged = async () =>
    Number((await ledger(upstream)).accounts.find(({ account }) => account === 'exchange:BRL')?.balance ?? 0);
  const before = await exchanged();
  await injectFaults(upstream, { business: { shortByOne: 1 } });
  const amounts: string[] = [];
  for (let nth = 0; nth < 10; nth++)
    amounts.push((await convert(upstream, wallet, '20.00')).destination_amount);
  expect(new Set(amounts)).toEqual(new Set(['19.99', '20.01']));
  const delivered = amounts.reduce((sum, amount) => sum + Number(amount), 0).toFixed(2);
  expect(await balanceOf(wallet.brl)).toBe(delivered);
  expect((before - (await exchanged())).toFixed(2)).toBe(delivered);
  expect(await faults(upstream)).toEqual({ 'business.shortByOne': 10 });
});

test('the fault shortByOne never turns the smallest amount into zero', async () => {
  await injectFaults(upstream, { business: { shortByOne: 1 } });
  for (let nth = 0; nth < 5; nth++)
    expect((await convert(upstream, wallet, '0.01')).destination_amount).toBe('0.02');
});

test('the fault shortByOne does not affect currencies other than BRL', async () => {
  await convert(upstream, wallet, '20.00');
  await injectFaults(upstream, { business: { shortByOne: 1 } });
  const back = await quote(upstream, {
    source_currency: 'BRL',
    destination_currency: 'GBP',
    source_amount: '20.00',
  });
  const body = transferBody({ ...wallet, home: wallet.brl, brl: wallet.home }, back);
  const { uuid } = (await upstream.post<Schemas['InternalTransfer']>('/v1/internal_transfers/', body)).body;
  expect((await readTransfer(upstream, uuid)).destination_amount).toBe(back.destination_amount);
  expect(await faults(upstream)).toEqual({});
});

test('the fault failedTransfer fails a conversion and gives the source back', async () => {
  await injectFaults(upstream, { business: { failedTransfer: 1, shortByOne: 1 } });
  expect(await convert(upstream, wallet, '20.00')).toMatchObject({
    status: 'FAILED',
    destination_amount: '20.00',
  });
  expect(await balanceOf(wallet.home)).toBe('1000.00');
  expect(await faults(upstream)).toEqual({ 'business.failedTransfer': 1 });
});

test('the fault failedPayout fails one attempt at a payout, and the next attempt succeeds', async () => {
  await injectFaults(upstream, { business: { failedPayout: 1 } });
  const { uuid, origin_id } = await payOut('3.00');
  await payoutBecomes(upstream, uuid, 'FAILED');
  expect(await balanceOf(wallet.home)).toBe('1000.00');
  await stopFaults(upstream);
  await upstream.post(`/v1/payouts/${uuid}/reissue/`, { origin_id, attempt: 2 });
  await payoutBecomes(upstream, uuid, 'COMPLETED');
  expect(await balanceOf(wallet.home)).toBe('997.00');
  expect(await faults(upstream)).toEqual({ 'business.failedPayout': 1 });
});

test('the fault refundedLater returns a payout that had arrived', async () => {
  await injectFaults(upstream, { business: { refundedLater: 1 } });
  const { uuid } = await payOut('3.00');
  await payoutBecomes(upstream, uuid, 'REFUNDED');
  expect(await balanceOf(wallet.home)).toBe('1000.00');
  const { body } = await upstream.get<Schemas['MovementPage']>(`/v1/accounts/${wallet.home.uuid}/movements/`);
  expect(body.results.map(({ kind }) => kind)).toEqual(['DEPOSIT', 'PAYOUT', 'PAYOUT_REFUND']);
  expect(await faults(upstream)).toEqual({ 'business.refundedLater': 1 });
});

test('the fault completedLate completes a payout that had failed, and debits it again if the account covers it', async () => {
  const data = mkdtempSync(join(tmpdir(), 'ponte-late-'));
  const quick = await startUpstream({ data });
  const [kept, spent] = [await fundedWallet(quick), await fundedWallet(quick)];
  await quick.close();
  const slow = await startUpstream({ data, settleMs: 60_000 });
  const advance = (advanceMs: number) => slow.post('/sandbox/clock', { advanceMs });
  const send = async (from: Wallet, amount: string) =>
    (await slow.post<Schemas['Payout']>('/v1/payouts/', fpsBody(from, amount))).body;
  const balance = async ({ home }: Wallet) => (await readAccount(slow, home.uuid)).balance;
  try {
    await injectFaults(slow, { business: { completedLate: 1 } });
    const late = [await send(kept, '3.00'), await send(spent, '3.00')];
    await advance(60_000);
    for (const { uuid } of late) await payoutBecomes(slow, uuid, 'FAILED');
    expect([await balance(kept), await balance(spent)]).toEqual(['1000.00', '1000.00']);
    await stopFaults(slow);
    await send(spent, '999.00');
    await advance(15 * 60_000);
    for (const { uuid } of late) await payoutBecomes(slow, uuid, 'COMPLETED');
    expect(await balance(kept)).toBe('997.00');
    // The provider pays what the account does not cover.
    expect((await ledger(slow)).balanced).toBe(true);
    const { body } = await slow.get<Schemas['MovementPage']>(`/v1/accounts/${kept.home.uuid}/movements/`);
    expect(body.results.map(({ kind }) => kind)).toEqual(['DEPOSIT', 'PAYOUT', 'PAYOUT_REFUND', 'PAYOUT']);
    const other = await slow.get<Schemas['MovementPage']>(`/v1/accounts/${spent.home.uuid}/movements/`);
    const ofLate = other.body.results.filter(({ amount }) => amount === '3.00');
    expect(ofLate.map(({ kind }) => kind)).toEqual(['PAYOUT', 'PAYOUT_REFUND']);
    expect(await faults(slow)).toEqual({ 'business.completedLate': 2 });
  } finally {
    await slow.close();
    rmSync(data, { recursive: true });
  }
});

test('the fault expiredQuote makes a quote that promises a minute already expired', async () => {
  await injectFaults(upstream, { business: { expiredQuote: 1 } });
  const before = Date.now() + clockOffsetMs;
  const promised = await quoteBrl(upstream, '20.00');
  expect(Date.parse(promised.expires_at)).toBeGreaterThanOrEqual(before + 60_000);
  await stopFaults(upstream);
  expect(await upstream.post('/v1/internal_transfers/', transferBody(wallet, promised))).toMatchObject({
    status: 409,
    body: { code: 'quote_expired' },
  });
  expect(await balanceOf(wallet.home)).toBe('1000.00');
  expect((await convert(upstream, wallet, '20.00')).status).toBe('COMPLETED');
  expect(await faults(upstream)).toEqual({ 'business.expiredQuote': 1 });
});

test('the fault slowAccount delays the activation of an account', async () => {
  const open = async () =>
    (
      await upstream.post<Schemas['Account']>('/v1/accounts/', {
        external_id: handle('account'),
        owner_uuid: wallet.owner.uuid,
        currency: 'EUR',
      })
    ).body.uuid;
  const statusOf = async (uuid: string) => (await readAccount(upstream, uuid)).status;
  const becomesActive = (uuid: string) =>
    until(
      () => statusOf(uuid),
      (status) => status === 'ACTIVE',
    );

  await injectFaults(upstream, { business: { slowAccount: 1, slowAccountMs: 60_000 } });
  const slow = await open();
  await stopFaults(upstream);
  const quick = await open();
  await becomesActive(quick);
  expect(await statusOf(slow)).toBe('PROVISIONING');
  clockOffsetMs += 60_000;
  // The settlement sleeps by the real clock. A new step makes it check the clock that was set forward.
  await open();
  await becomesActive(slow);
  expect(await faults(upstream)).toEqual({ 'business.slowAccount': 1 });
});

test('business faults do not change what a magic value decides', async () => {
  await injectFaults(upstream, {
    business: { failedPayout: 1, refundedLater: 1, failedTransfer: 1, shortByOne: 1 },
  });
  expect((await payOut('17.17')).status).toBe('COMPLETED');
  expect(await convert(upstream, wallet, '7.77')).toMatchObject({
    status: 'COMPLETED',
    destination_amount: '7.77',
  });
  expect(await faults(upstream)).toEqual({});
});
