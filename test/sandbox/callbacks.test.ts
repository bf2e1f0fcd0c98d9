import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  activeAccount,
  deposit,
  fpsBody,
  fundedWallet,
  type Listener,
  listen,
  payoutBecomes,
  quoteBrl,
  readPayout,
  type Schemas,
  transferBody,
  until,
  verifiedOwner,
} from './support.ts';
import { useUpstream } from './use-upstream.ts';

let clockOffsetMs = 0;
const { upstream } = useUpstream({ now: () => Date.now() + clockOffsetMs });
let listener: Listener;
beforeEach(async () => {
  listener = await listen();
});
afterEach(() => listener.close());

const events = () => listener.received.map(({ event }) => event);
const arrived = (count: number) =>
  until(
    () => listener.received.length,
    (length) => length >= count,
  );

test('callbacks report an account that became active, and its movements', async () => {
  const account = await activeAccount(upstream, await verifiedOwner(upstream), 'GBP', listener.url);
  await arrived(1);
  expect(listener.received[0]).toEqual({
    event: 'account.status_updated',
    data: account,
    updated_at: account.updated_at,
  });
  await deposit(upstream, account, '5.00', 'Rent');
  await arrived(2);
  expect(listener.received[1]).toMatchObject({
    event: 'movement.created',
    data: {
      account_uuid: account.uuid,
      direction: 'CREDIT',
      kind: 'DEPOSIT',
      amount: '5.00',
      source_reference: 'Rent',
    },
  });
});

test('callbacks report transfers and payouts in their current state', async () => {
  const wallet = await fundedWallet(upstream);
  const body = { ...transferBody(wallet, await quoteBrl(upstream, '20.00')), callback_url: listener.url };
  await upstream.post('/v1/internal_transfers/', body);
  await arrived(1);
  const { body: payout } = await upstream.post<Schemas['Payout']>('/v1/payouts/', {
    ...fpsBody(wallet, '14.14'),
    callback_url: listener.url,
  });
  await payoutBecomes(upstream, payout.uuid, 'REFUNDED');
  await arrived(3);
  expect(events()).toEqual(['internal_transfer.updated', 'payout.updated', 'payout.updated']);
  expect(listener.received.map(({ data }) => data['status'])).toEqual(
    expect.arrayContaining(['COMPLETED', 'COMPLETED', 'REFUNDED']),
  );
  const stamps = listener.received.slice(1).map(({ updated_at }) => updated_at);
  expect(stamps[0]).not.toBe(stamps[1]);
});

test('no callback is sent if the reply to the creation was final', async () => {
  const wallet = await fundedWallet(upstream);
  const body = { ...fpsBody(wallet, '17.17'), callback_url: listener.url };
  expect((await upstream.post<Schemas['Payout']>('/v1/payouts/', body)).body.status).toBe('COMPLETED');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(events()).toEqual([]);
});

test('a callback is sent again after a pause until a 2xx acknowledges it', async () => {
  const wallet = await fundedWallet(upstream);
  listener.answers.push(500, 302);
  await upstream.post('/v1/payouts/', { ...fpsBody(wallet, '3.00'), callback_url: listener.url });
  await arrived(1);
  clockOffsetMs += 1000;
  await nudge(wallet.home);
  await arrived(2);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(listener.received).toHaveLength(2);
  clockOffsetMs += 2000;
  await nudge(wallet.home);
  await arrived(3);
  expect(new Set(listener.received.map((callback) => JSON.stringify(callback))).size).toBe(1);
});

test('undelivered callbacks go to the address that was set last', async () => {
  const wallet = await fundedWallet(upstream);
  const body = { ...fpsBody(wallet, '4.00'), callback_url: 'http://localhost:9/closed' };
  const { body: payout } = await upstream.post<Schemas['Payout']>('/v1/payouts/', body);
  await payoutBecomes(upstream, payout.uuid, 'COMPLETED');
  const patched = await upstream.patch<Schemas['Payout']>(`/v1/payouts/${payout.uuid}/`, {
    callback_url: listener.url,
  });
  expect(patched.status).toBe(200);
  expect(patched.body.updated_at > payout.updated_at).toBe(true);
  clockOffsetMs += 1000;
  await nudge(wallet.home);
  await arrived(1);
  expect((await readPayout(upstream, payout.uuid)).status).toBe('COMPLETED');
});

/**
 * Makes the dispatcher check the clock that was set forward: the dispatcher sleeps by the real clock, and another callback wakes
 * it.
 */
async function nudge(account: Schemas['Account']): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 20));
  await upstream.patch(`/v1/accounts/${account.uuid}/`, { callback_url: 'http://localhost:9/closed' });
  await deposit(upstream, account, '0.01');
}
