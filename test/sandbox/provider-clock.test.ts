// A provider whose clock is coarse, steps back, or is ahead of the machine's clock or behind it.
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  advanceProviderClock,
  injectedFaults,
  orderFault,
  stepProviderClockBack,
} from '../support/provider-faults.ts';
import { faults, injectFaults, stopFaults } from './fault-injection-support.ts';
import {
  fpsBody,
  fundedWallet,
  type Listener,
  listen,
  payoutBecomes,
  quoteBrl,
  readAccount,
  type Schemas,
  startUpstream,
  transferBody,
  type Upstream,
  until,
  type Wallet,
} from './support.ts';

const HOUR_MS = 3_600_000;
const SLOW_MS = 20_000;

let upstream: Upstream;
let wallet: Wallet;
let listener: Listener;
let providerNow: () => number;
beforeEach(async () => {
  // The tests begin a minute after a full hour, so that none crosses a full hour.
  const begun = Date.now();
  const start = Math.ceil(begun / HOUR_MS) * HOUR_MS + 60_000;
  providerNow = () => start + Date.now() - begun;
  upstream = await startUpstream({ now: providerNow, slowMs: SLOW_MS });
  listener = await listen();
  wallet = await fundedWallet(upstream);
});
afterEach(() => Promise.all([upstream.close(), listener.close()]));

/** The body of a payout that stays PENDING until the provider's clock is set forward. */
const slowBody = () => ({ ...fpsBody(wallet, '16.16'), callback_url: listener.url });
const payOut = async (body: Schemas['PayoutCreate']) =>
  (await upstream.post<Schemas['Payout']>('/v1/payouts/', body)).body;

async function completed({ uuid }: Schemas['Payout']): Promise<Schemas['Payout']> {
  await advanceProviderClock(upstream.url, SLOW_MS);
  return payoutBecomes(upstream, uuid, 'COMPLETED');
}

test('a coarse clock stamps PENDING and COMPLETED with the same time', async () => {
  await orderFault(upstream.url, {
    operation: 'createPayout',
    fault: 'coarseClock',
    details: { coarseClockMs: HOUR_MS },
  });
  const [coarse, fine] = [await payOut(slowBody()), await payOut(slowBody())];
  expect(Date.parse(coarse.updated_at) % HOUR_MS).toBe(0);
  expect((await completed(coarse)).updated_at).toBe(coarse.updated_at);
  const told = await until(
    () => listener.received.find(({ data }) => data['uuid'] === coarse.uuid),
    (callback) => callback !== undefined,
  );
  expect(told?.updated_at).toBe(coarse.updated_at);
  expect(Date.parse((await completed(fine)).updated_at)).toBeGreaterThan(Date.parse(fine.updated_at));
  expect(await injectedFaults(upstream.url)).toMatchObject([
    { kind: 'provider.coarseClock', resource_uuid: coarse.uuid, origin_id: coarse.origin_id },
  ]);
});

test('a random coarse clock counts in whole seconds, for transfers as well, and stays coarse after faults are cleared', async () => {
  await injectFaults(upstream, { provider: { coarseClock: 1 } });
  const payout = await payOut(slowBody());
  const body = transferBody(wallet, await quoteBrl(upstream, '20.00'));
  const { updated_at } = (await upstream.post<Schemas['InternalTransfer']>('/v1/internal_transfers/', body))
    .body;
  expect(await faults(upstream)).toEqual({ 'provider.coarseClock': 2 });
  await stopFaults(upstream);
  for (const stamp of [payout.updated_at, updated_at, (await completed(payout)).updated_at])
    expect(Date.parse(stamp) % 1000).toBe(0);
});

test('a jumping clock steps back after a creation, so that the end has an earlier stamp than the beginning', async () => {
  await orderFault(upstream.url, {
    operation: 'createPayout',
    fault: 'jumpingClock',
    details: { jumpBackMs: 60_000, jumpForMs: 30_000 },
  });
  const payout = await payOut(slowBody());
  const done = await completed(payout);
  expect(Date.parse(done.updated_at)).toBeLessThan(Date.parse(payout.updated_at));
  expect(await injectedFaults(upstream.url, payout.uuid)).toMatchObject([
    { kind: 'provider.jumpingClock', details: { back_ms: 60_000 } },
    { kind: 'provider.jumpingClock', details: { updated_at: done.updated_at, after: payout.updated_at } },
  ]);
  await advanceProviderClock(upstream.url, 30_000);
  const later = await payOut(fpsBody(wallet, '1.00'));
  expect(Date.parse(later.updated_at)).toBeGreaterThan(Date.parse(payout.updated_at));
});

test('a clock that was set back on demand is right again afterwards', async () => {
  const payout = await payOut(slowBody());
  await stepProviderClockBack(upstream.url, 50_000, SLOW_MS + 5_000);
  const done = await completed(payout);
  expect(Date.parse(done.updated_at)).toBeLessThan(Date.parse(payout.updated_at));
  await advanceProviderClock(upstream.url, 5_000);
  await upstream.post(`/sandbox/payouts/${payout.uuid}/refund`);
  const refunded = await payoutBecomes(upstream, payout.uuid, 'REFUNDED');
  expect(Date.parse(refunded.updated_at)).toBeGreaterThan(Date.parse(payout.updated_at));
});

test('a random jumping clock steps back as far and as long as configured', async () => {
  await injectFaults(upstream, { provider: { jumpingClock: 1, jumpBackMs: 40_000, jumpForMs: 60_000 } });
  const payout = await payOut(slowBody());
  await injectFaults(upstream, {});
  const done = await completed(payout);
  expect(Date.parse(payout.updated_at) - Date.parse(done.updated_at)).toBeGreaterThan(15_000);
});

test.each([
  [{ clockAheadMs: 100_000 }, 100_000],
  [{ clockBehindMs: 100_000 }, -100_000],
])('every time that the provider shows comes from its wrong clock: %j', async (provider, offMs) => {
  await injectFaults(upstream, { provider });
  const before = providerNow();
  const quote = await quoteBrl(upstream, '20.00');
  const payout = await payOut(fpsBody(wallet, '1.00'));
  const account = await readAccount(upstream, wallet.home.uuid);
  const { results } = (
    await upstream.get<Schemas['MovementPage']>(`/v1/accounts/${wallet.home.uuid}/movements/`)
  ).body;
  const shown = [payout.updated_at, results.at(-1)?.created_at ?? ''].map((time) => Date.parse(time));
  if (offMs > 0) shown.push(Date.parse(account.updated_at));
  for (const time of [...shown, Date.parse(quote.expires_at) - 60_000]) {
    expect(time - offMs).toBeLessThanOrEqual(providerNow());
    expect(time - offMs).toBeGreaterThanOrEqual(before);
  }
  // Due times and expiry times use the right clock.
  await payoutBecomes(upstream, payout.uuid, 'COMPLETED');
  await advanceProviderClock(upstream.url, 30_000);
  const body = transferBody(wallet, quote);
  expect((await upstream.post('/v1/internal_transfers/', body)).status).toBe(201);
});
