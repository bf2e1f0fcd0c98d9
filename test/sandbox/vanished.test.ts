// Resources that vanish from the provider, and reappear.
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  advanceProviderClock,
  injectedFaults,
  orderFault,
  reappear,
  vanish,
} from '../support/provider-faults.ts';
import { endFaults, faults, injectFaults, stopFaults } from './fault-injection-support.ts';
import { convert, fpsBody, payoutBecomes, readPayout, type Schemas } from './support.ts';
import { useUpstream } from './use-upstream.ts';

const { upstream, wallet } = useUpstream({ wallet: 'shared' });
let body: ReturnType<typeof fpsBody>;
let uuid: string;
beforeEach(async () => {
  body = fpsBody(wallet, '1.00');
  uuid = (await upstream.post<Schemas['Payout']>('/v1/payouts/', body)).body.uuid;
});
afterEach(() => endFaults(upstream));

const get = async () => (await upstream.get(`/v1/payouts/${uuid}/`)).status;
const found = async () =>
  (await upstream.get<Schemas['PayoutPage']>(`/v1/payouts/?origin_id=${body.origin_id}`)).body.results.map(
    (payout) => payout.uuid,
  );
const isListed = async () =>
  (await upstream.get<Schemas['PayoutPage']>('/v1/payouts/?limit=1000')).body.results.some(
    (payout) => payout.uuid === uuid,
  );

test('a vanished payout answers 404 for a while and is still found by its handle', async () => {
  await injectFaults(upstream, { provider: { vanished: 1, vanishedForMs: 60_000 } });
  expect(await upstream.get(`/v1/payouts/${uuid}/`)).toMatchObject({
    status: 404,
    body: { code: 'not_found' },
  });
  expect([await found(), await isListed()]).toEqual([[uuid], true]);
  await advanceProviderClock(upstream.url, 30_000);
  expect(await get()).toBe(404);
  await injectFaults(upstream, {});
  await advanceProviderClock(upstream.url, 30_000);
  expect(await get()).toBe(200);
  expect(await faults(upstream)).toEqual({ 'provider.vanished': 1 });
  expect(await injectedFaults(upstream.url, uuid)).toMatchObject([
    { kind: 'provider.vanished', origin_id: body.origin_id, details: { by_uuid: true, by_handle: false } },
  ]);
});

test('a payout whose handle vanished is not found by its handle, and a repetition makes it again', async () => {
  await injectFaults(upstream, { provider: { vanished: 1, vanishedHandle: 1, vanishedForMs: 60_000 } });
  expect(await get()).toBe(404);
  expect([await found(), await isListed()]).toEqual([[], false]);
  await injectFaults(upstream, {});
  const again = await upstream.post<Schemas['Payout']>('/v1/payouts/', body);
  expect(again.status).toBe(201);
  expect(await found()).toEqual([again.body.uuid]);
  await advanceProviderClock(upstream.url, 60_000);
  expect(await found()).toEqual([uuid, again.body.uuid]);
  expect(await injectedFaults(upstream.url, again.body.uuid)).toMatchObject([
    { kind: 'provider.forgottenHandle', details: { twin_of: uuid } },
  ]);
});

test('the fault vanished affects only existing resources', async () => {
  await injectFaults(upstream, { provider: { vanished: 1 } });
  expect((await upstream.get('/v1/payouts/0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a60/')).status).toBe(404);
  expect(await faults(upstream)).toEqual({});
});

test('a requested fault makes a resource vanish at the next matching GET, for as long as requested', async () => {
  await orderFault(upstream.url, {
    operation: 'getPayout',
    fault: 'vanished',
    about: uuid,
    details: { vanishedForMs: 5_000 },
  });
  const other = await upstream.post<Schemas['Payout']>('/v1/payouts/', fpsBody(wallet, '1.00'));
  expect((await readPayout(upstream, other.body.uuid)).origin_id).toBe(other.body.origin_id);
  expect([await get(), await get()]).toEqual([404, 404]);
  await advanceProviderClock(upstream.url, 5_000);
  expect(await get()).toBe(200);
});

test('a resource that vanished on demand is missing by its uuid until the fault is ended, and continues meanwhile', async () => {
  await vanish(upstream.url, uuid);
  expect([await get(), await found()]).toEqual([404, [uuid]]);
  expect((await upstream.patch(`/v1/payouts/${uuid}/`, { callback_url: 'http://127.0.0.1:9/' })).status).toBe(
    404,
  );
  await reappear(upstream.url, uuid);
  await payoutBecomes(upstream, uuid, 'COMPLETED');
});

test('a resource can vanish by its handle alone', async () => {
  await vanish(upstream.url, uuid, { by_uuid: false, by_handle: true, forMs: 60_000 });
  expect([await get(), await found(), await isListed()]).toEqual([200, [], false]);
});

test('conversions, accounts and owners can vanish', async () => {
  const transfer = await convert(upstream, wallet, '1.00');
  for (const [path, id, handle] of [
    ['/v1/internal_transfers/', transfer.uuid, `origin_id=${transfer.origin_id}`],
    ['/v1/accounts/', wallet.brl.uuid, `external_id=${wallet.brl.external_id}`],
    ['/v1/accounts/owners/', wallet.owner.uuid, `external_id=${wallet.owner.external_id}`],
  ] as const) {
    await vanish(upstream.url, id, { by_handle: true });
    expect((await upstream.get(`${path}${id}/`)).status).toBe(404);
    const lookUp = await upstream.get<{ results: object[] }>(`${path}?${handle}`);
    expect(lookUp.body.results).toEqual([]);
    await reappear(upstream.url, id);
    expect((await upstream.get(`${path}${id}/`)).status).toBe(200);
  }
});

test('a vanished resource is back when all faults are cleared', async () => {
  await vanish(upstream.url, uuid);
  await stopFaults(upstream);
  expect(await get()).toBe(200);
});

test('making an unknown resource vanish is refused', async () => {
  await expect(vanish(upstream.url, 'nothing')).rejects.toThrow('404');
  await expect(vanish(upstream.url, uuid, { forMs: -1 })).rejects.toThrow('forMs must be');
});
