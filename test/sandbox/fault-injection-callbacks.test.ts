// Injected callback faults, from the receiver's side.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { endFaults, faults, injectFaults, see, stopFaults } from './fault-injection-support.ts';
import { fpsBody, handle, type Listener, listen, payoutBecomes, type Schemas, until } from './support.ts';
import { useUpstream } from './use-upstream.ts';

const { upstream, wallet } = useUpstream({ wallet: 'shared' });
let listener: Listener;
beforeEach(async () => {
  listener = await listen();
});
afterEach(async () => {
  await endFaults(upstream);
  await listener.close();
});

/** Makes a payout whose state is COMPLETED and whose callbacks are recorded. */
async function paidOut(amount = '1.00'): Promise<string> {
  const body = { ...fpsBody(wallet, amount), callback_url: listener.url };
  const { uuid } = (await upstream.post<Schemas['Payout']>('/v1/payouts/', body)).body;
  await payoutBecomes(upstream, uuid, 'COMPLETED');
  return uuid;
}

const receivedIds = () => listener.received.map(({ data }) => data['uuid']);
const toldOf = (count: number) => until(receivedIds, ({ length }) => length >= count);

test('the fault lost drops callbacks', async () => {
  await injectFaults(upstream, { callbacks: { lost: 1 } });
  await paidOut();
  expect(await faults(upstream)).toEqual({ 'callbacks.lost': 1 });
  await stopFaults(upstream);
  const next = await paidOut();
  expect(await toldOf(1)).toEqual([next]);
});

test('the fault duplicated sends callbacks twice', async () => {
  await injectFaults(upstream, { callbacks: { duplicated: 1 } });
  const uuid = await paidOut();
  expect(await toldOf(2)).toEqual([uuid, uuid]);
  expect(listener.received[0]).toEqual(listener.received[1]);
  expect(await faults(upstream)).toEqual({ 'callbacks.duplicated': 1 });
});

test('the fault delayed delays callbacks, some more than others', async () => {
  await injectFaults(upstream, { callbacks: { delayed: 1, delayedMs: 1500 } });
  const late = [await paidOut(), await paidOut(), await paidOut()];
  await stopFaults(upstream);
  const onTime = await paidOut();
  expect((await toldOf(4)).indexOf(onTime)).toBeLessThan(3);
  expect(new Set(receivedIds())).toEqual(new Set([...late, onTime]));
  expect(await faults(upstream)).toEqual({ 'callbacks.delayed': 3 });
});

test('a callback comes once immediately and once late if both faults are injected', async () => {
  await injectFaults(upstream, { callbacks: { delayed: 1, delayedMs: 1500, duplicated: 1 } });
  const uuid = await paidOut();
  expect(await toldOf(2)).toEqual([uuid, uuid]);
});

test('the fault reordered lets the next callback overtake a callback', async () => {
  await injectFaults(upstream, { callbacks: { reordered: 1 } });
  const [first, second] = [await paidOut(), await paidOut()];
  expect(await toldOf(2)).toEqual([second, first]);
  await until(
    () => faults(upstream),
    (counts) => counts['callbacks.reordered'] === 1,
  );
});

test('a held callback is sent after a while even if no other follows', async () => {
  await injectFaults(upstream, { callbacks: { reordered: 1 } });
  const only = await paidOut();
  expect(await toldOf(1)).toEqual([only]);
  expect(await faults(upstream)).toEqual({});
});

test('the fault early delivers a callback before the reply to its cause is sent', async () => {
  await injectFaults(upstream, { callbacks: { early: 1 } });
  const body = { ...fpsBody(wallet, '1.00'), callback_url: listener.url };
  const { body: payout } = await upstream.post<Schemas['Payout']>('/v1/payouts/', body);
  expect(payout.status).toBe('PENDING');
  expect(listener.received).toMatchObject([{ data: { uuid: payout.uuid, status: 'COMPLETED' } }]);
  const request = {
    external_id: handle('account'),
    owner_uuid: wallet.owner.uuid,
    currency: 'EUR',
    callback_url: listener.url,
  };
  const { body: account } = await upstream.post<Schemas['Account']>('/v1/accounts/', request);
  expect(account.status).toBe('PROVISIONING');
  expect(listener.received[1]).toMatchObject({ data: { uuid: account.uuid, status: 'ACTIVE' } });
  expect(await faults(upstream)).toEqual({ 'callbacks.early': 2 });
});

test('a reply waits for an early callback only if one will be sent', async () => {
  await injectFaults(upstream, { callbacks: { early: 1 } });
  const body = { ...fpsBody(wallet, '17.17'), callback_url: listener.url };
  // The sandbox's time-outs never fire, so a reply that waits is never sent.
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  try {
    for (const status of [201, 200])
      expect(await see(upstream, '/v1/payouts/', body, 30_000)).toMatchObject({ status });
  } finally {
    vi.useRealTimers();
  }
  expect(await faults(upstream)).toEqual({});
});
