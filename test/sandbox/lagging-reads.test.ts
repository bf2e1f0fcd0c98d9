// Reads that show a former state, with and without the writes that were answered before them.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  advanceProviderClock,
  clearFaults,
  injectedFaults,
  lagReads,
  orderFault,
} from '../support/provider-faults.ts';
import { faults, injectFaults, see } from './fault-injection-support.ts';
import {
  convert,
  deposit,
  fpsBody,
  fundedWallet,
  ledgerBalance,
  quoteBrl,
  readAccount,
  readPayout,
  readTransfer,
  type Schemas,
  startUpstream,
  transferBody,
  type Upstream,
  until,
  type Wallet,
} from './support.ts';

const SLOW_MS = 20_000;
const LAG_MS = 5_000;

let upstream: Upstream;
let wallet: Wallet;
/** Set forward by the tests alone, so that nothing here depends on how fast the machine is. */
let now: number;
beforeEach(async () => {
  now = Date.now();
  upstream = await startUpstream({ now: () => now, slowMs: SLOW_MS });
  wallet = await fundedWallet(upstream);
});
afterEach(() => upstream.close());

/** Stays PENDING until the provider's clock is set forward. */
const slowPayout = async () =>
  (await upstream.post<Schemas['Payout']>('/v1/payouts/', fpsBody(wallet, '16.16'))).body;
const get = async (uuid: string) => (await upstream.get(`/v1/payouts/${uuid}/`)).status;
const lookUp = async (origin_id: string) =>
  (await upstream.get<Schemas['PayoutPage']>(`/v1/payouts/?origin_id=${origin_id}`)).body.results;

/** Lets the slow ones end, and waits until they have. */
async function settle(): Promise<void> {
  await advanceProviderClock(upstream.url, SLOW_MS);
  await until(
    () => ledgerBalance(upstream, 'paying-out:GBP'),
    (balance) => balance === '0.00',
  );
}

describe('a read that lags', () => {
  it('shows a payout as it was, and 404 before it was', async () => {
    await lagReads(upstream.url, LAG_MS);
    const { uuid } = await slowPayout();
    expect(await get(uuid)).toBe(404);
    await settle();
    expect(await readPayout(upstream, uuid)).toMatchObject({ status: 'PENDING' });
    await advanceProviderClock(upstream.url, LAG_MS - 1);
    expect(await readPayout(upstream, uuid)).toMatchObject({ status: 'PENDING' });
    await advanceProviderClock(upstream.url, 1);
    expect(await readPayout(upstream, uuid)).toMatchObject({ status: 'COMPLETED' });
    expect(new Set((await injectedFaults(upstream.url, uuid)).map(({ kind }) => kind))).toEqual(
      new Set(['provider.laggingRead']),
    );
  });

  it('finds by its handle what was answered, as it was then', async () => {
    await lagReads(upstream.url, LAG_MS);
    const { uuid, origin_id } = await slowPayout();
    expect(await lookUp(origin_id)).toMatchObject([{ uuid, status: 'PENDING' }]);
    await settle();
    expect(await lookUp(origin_id)).toMatchObject([{ uuid, status: 'PENDING' }]);
    await upstream.patch(`/v1/payouts/${uuid}/`, { callback_url: 'http://127.0.0.1:9/' });
    expect(await lookUp(origin_id)).toMatchObject([{ uuid, status: 'COMPLETED' }]);
  });

  it('does not find by its handle what was done and not answered', async () => {
    await lagReads(upstream.url, LAG_MS);
    await orderFault(upstream.url, { operation: 'createPayout', fault: 'dropped' });
    const body = fpsBody(wallet, '1.00');
    expect(await see(upstream, '/v1/payouts/', body)).toMatchObject({ status: 0 });
    expect(await lookUp(body.origin_id)).toEqual([]);
    await advanceProviderClock(upstream.url, LAG_MS);
    expect(await lookUp(body.origin_id)).toHaveLength(1);
  });

  it('shows balances and movements as they were, and lists without what is newer', async () => {
    await lagReads(upstream.url, LAG_MS);
    const movements = async () =>
      (await upstream.get<Schemas['MovementPage']>(`/v1/accounts/${wallet.home.uuid}/movements/`)).body
        .results;
    const payouts = async () => (await upstream.get<Schemas['PayoutPage']>('/v1/payouts/')).body.results;
    await advanceProviderClock(upstream.url, LAG_MS);
    await deposit(upstream, wallet.home, '5.00');
    await slowPayout();
    const { balance } = await readAccount(upstream, wallet.home.uuid);
    expect([balance, (await movements()).length, await payouts()]).toEqual(['1000.00', 1, []]);
    await advanceProviderClock(upstream.url, LAG_MS);
    expect((await readAccount(upstream, wallet.home.uuid)).balance).toBe('988.84');
    const all = await movements();
    expect(all).toHaveLength(3);
    expect(await payouts()).toHaveLength(1);

    await deposit(upstream, wallet.home, '6.00');
    await clearFaults(upstream.url);
    const newest = (await movements()).at(-1)?.uuid;
    await lagReads(upstream.url, LAG_MS);
    expect((await upstream.get(`/v1/accounts/${wallet.home.uuid}/movements/${newest}/`)).status).toBe(404);
    expect((await upstream.get(`/v1/accounts/${wallet.home.uuid}/movements/${all[0]?.uuid}/`)).status).toBe(
      200,
    );
  });

  it('shows conversions, accounts and owners as they were', async () => {
    await lagReads(upstream.url, LAG_MS);
    const body = transferBody(wallet, await quoteBrl(upstream, '9.99'));
    const { uuid } = (await upstream.post<Schemas['InternalTransfer']>('/v1/internal_transfers/', body)).body;
    expect((await upstream.get(`/v1/internal_transfers/${uuid}/`)).status).toBe(404);
    await advanceProviderClock(upstream.url, SLOW_MS);
    await until(
      () => ledgerBalance(upstream, `customer:${wallet.brl.uuid}`),
      (balance) => balance === '9.99',
    );
    expect((await readTransfer(upstream, uuid)).status).toBe('PENDING');
    expect((await readAccount(upstream, wallet.brl.uuid)).balance).toBe('0.00');
    const asked = { external_id: 'lagging', mode: 'hosted' };
    const owner = (await upstream.post<Schemas['Owner']>('/v1/accounts/owners/', asked)).body;
    expect((await upstream.get(`/v1/accounts/owners/${owner.uuid}/`)).status).toBe(404);
    await advanceProviderClock(upstream.url, LAG_MS);
    expect((await readTransfer(upstream, uuid)).status).toBe('COMPLETED');
    expect((await readAccount(upstream, wallet.brl.uuid)).balance).toBe('9.99');
    expect((await upstream.get(`/v1/accounts/owners/${owner.uuid}/`)).status).toBe(200);
  });

  it('lags by chance, and is recorded only where it missed something', async () => {
    await injectFaults(upstream, { seed: 2, provider: { laggingRead: 1, lagMs: 60_000 } });
    const { uuid } = await slowPayout();
    const { brl } = wallet;
    expect((await readAccount(upstream, brl.uuid)).balance).toBe('0.00');
    expect(await get(uuid)).toBe(404);
    expect(await faults(upstream)).toEqual({ 'provider.laggingRead': 1 });
    await advanceProviderClock(upstream.url, 60_000);
    expect(await get(uuid)).toBe(200);
  });
});

describe('a look-up that lags', () => {
  it('misses what was answered, by order and by chance', async () => {
    const orders = () =>
      orderFault(upstream.url, {
        operation: 'findPayouts',
        fault: 'laggingLookup',
        details: { lagMs: LAG_MS },
      });
    await orders();
    const { origin_id, uuid } = await slowPayout();
    expect(await lookUp(origin_id)).toEqual([]);
    expect(await lookUp(origin_id)).toHaveLength(1);
    expect(await injectedFaults(upstream.url, uuid)).toMatchObject([
      { kind: 'provider.laggingLookup', origin_id, details: { lag_ms: LAG_MS } },
    ]);

    await injectFaults(upstream, { provider: { laggingLookup: 1, lagMs: LAG_MS } });
    const other = await slowPayout();
    expect(await lookUp(other.origin_id)).toEqual([]);
    expect(await get(other.uuid)).toBe(200);
    await advanceProviderClock(upstream.url, LAG_MS);
    expect(await lookUp(other.origin_id)).toHaveLength(1);
  });
});

describe('an unseen write', () => {
  it('is not found by its handle until it is answered or the time is over, and every answered write is', async () => {
    await injectFaults(upstream, { provider: { unseenWrite: 1, unseenForMs: LAG_MS } });
    const answered = await slowPayout();
    expect(await lookUp(answered.origin_id)).toHaveLength(1);
    await orderFault(upstream.url, { operation: 'createPayout', fault: 'dropped' });
    const body = fpsBody(wallet, '16.16');
    await upstream.post('/v1/payouts/', body).catch(() => undefined);
    expect(await lookUp(body.origin_id)).toEqual([]);
    expect(await faults(upstream)).toMatchObject({ 'provider.unseenWrite': 1 });
    await advanceProviderClock(upstream.url, LAG_MS);
    expect(await lookUp(body.origin_id)).toHaveLength(1);
  });

  it('hides no object from a list', async () => {
    await injectFaults(upstream, { provider: { unseenWrite: 1, unseenForMs: LAG_MS } });
    await orderFault(upstream.url, { operation: 'createPayout', fault: 'dropped' });
    await upstream.post('/v1/payouts/', fpsBody(wallet, '16.16')).catch(() => undefined);
    expect((await upstream.get<Schemas['PayoutPage']>('/v1/payouts/')).body.results).toHaveLength(1);
  });
});

it('pages so that nothing appears before a cursor that was given', async () => {
  await convert(upstream, wallet, '10.00');
  await lagReads(upstream.url, LAG_MS);
  await advanceProviderClock(upstream.url, LAG_MS);
  await slowPayout();
  await slowPayout();
  const path = `/v1/accounts/${wallet.home.uuid}/movements/?limit=3`;
  const first = (await upstream.get<Schemas['MovementPage']>(path)).body;
  expect([first.results.length, first.next]).toEqual([2, null]);
  await advanceProviderClock(upstream.url, LAG_MS);
  const second = await upstream.get<Schemas['MovementPage']>(`${path}&after=${first.results.at(-1)?.uuid}`);
  expect(second.body.results).toHaveLength(2);
});
