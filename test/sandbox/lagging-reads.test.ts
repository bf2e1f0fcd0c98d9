// Reads that show a former state, with and without the writes that were answered before them.
import { afterEach, beforeEach, expect, test } from 'vitest';
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
/** The provider's clock. Only the tests set it forward, so that nothing depends on the speed of the machine. */
let now: number;
beforeEach(async () => {
  now = Date.now();
  upstream = await startUpstream({ now: () => now, slowMs: SLOW_MS });
  wallet = await fundedWallet(upstream);
});
afterEach(() => upstream.close());

/** Makes a payout that stays PENDING until the provider's clock is set forward. */
const slowPayout = async () =>
  (await upstream.post<Schemas['Payout']>('/v1/payouts/', fpsBody(wallet, '16.16'))).body;
const get = async (uuid: string) => (await upstream.get(`/v1/payouts/${uuid}/`)).status;
const lookUp = async (origin_id: string) =>
  (await upstream.get<Schemas['PayoutPage']>(`/v1/payouts/?origin_id=${origin_id}`)).body.results;

/** Completes the slow payouts, and waits until they are completed. */
async function settle(): Promise<void> {
  await advanceProviderClock(upstream.url, SLOW_MS);
  await until(
    () => ledgerBalance(upstream, 'paying-out:GBP'),
    (balance) => balance === '0.00',
  );
}

test('a lagging read shows a payout in its former state, and 404 before its creation', async () => {
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

test('a look-up by handle finds an answered payout in its former state during lagging reads', async () => {
  await lagReads(upstream.url, LAG_MS);
  const { uuid, origin_id } = await slowPayout();
  expect(await lookUp(origin_id)).toMatchObject([{ uuid, status: 'PENDING' }]);
  await settle();
  expect(await lookUp(origin_id)).toMatchObject([{ uuid, status: 'PENDING' }]);
  await upstream.patch(`/v1/payouts/${uuid}/`, { callback_url: 'http://127.0.0.1:9/' });
  expect(await lookUp(origin_id)).toMatchObject([{ uuid, status: 'COMPLETED' }]);
});

test('a look-up by handle misses a payout that was made and not answered during lagging reads', async () => {
  await lagReads(upstream.url, LAG_MS);
  await orderFault(upstream.url, { operation: 'createPayout', fault: 'dropped' });
  const body = fpsBody(wallet, '1.00');
  expect(await see(upstream, '/v1/payouts/', body)).toMatchObject({ status: 0 });
  expect(await lookUp(body.origin_id)).toEqual([]);
  await advanceProviderClock(upstream.url, LAG_MS);
  expect(await lookUp(body.origin_id)).toHaveLength(1);
});

test('lagging reads show former balances and movements, and lists without newer rows', async () => {
  await lagReads(upstream.url, LAG_MS);
  const movements = async () =>
    (await upstream.get<Schemas['MovementPage']>(`/v1/accounts/${wallet.home.uuid}/movements/`)).body.results;
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

test('lagging reads show conversions, accounts and owners in their former state', async () => {
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
  const request = { external_id: 'lagging', mode: 'hosted' };
  const owner = (await upstream.post<Schemas['Owner']>('/v1/accounts/owners/', request)).body;
  expect((await upstream.get(`/v1/accounts/owners/${owner.uuid}/`)).status).toBe(404);
  await advanceProviderClock(upstream.url, LAG_MS);
  expect((await readTransfer(upstream, uuid)).status).toBe('COMPLETED');
  expect((await readAccount(upstream, wallet.brl.uuid)).balance).toBe('9.99');
  expect((await upstream.get(`/v1/accounts/owners/${owner.uuid}/`)).status).toBe(200);
});

test('a random lagging read is recorded only if it missed something', async () => {
  await injectFaults(upstream, { seed: 2, provider: { laggingRead: 1, lagMs: 60_000 } });
  const { uuid } = await slowPayout();
  const { brl } = wallet;
  expect((await readAccount(upstream, brl.uuid)).balance).toBe('0.00');
  expect(await get(uuid)).toBe(404);
  expect(await faults(upstream)).toEqual({ 'provider.laggingRead': 1 });
  await advanceProviderClock(upstream.url, 60_000);
  expect(await get(uuid)).toBe(200);
});

test('a lagging look-up misses an answered payout, on request and at random', async () => {
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

test('an unseen write is not found by its handle until it is answered or its time is over', async () => {
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

test('an unseen write hides no object from a list', async () => {
  await injectFaults(upstream, { provider: { unseenWrite: 1, unseenForMs: LAG_MS } });
  await orderFault(upstream.url, { operation: 'createPayout', fault: 'dropped' });
  await upstream.post('/v1/payouts/', fpsBody(wallet, '16.16')).catch(() => undefined);
  expect((await upstream.get<Schemas['PayoutPage']>('/v1/payouts/')).body.results).toHaveLength(1);
});

test('pages of a lagging list never show a new row before a returned cursor', async () => {
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
