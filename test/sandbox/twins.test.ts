// A provider that forgets handles: a repetition creates a second object, which is debited again.
import { afterEach, expect, test } from 'vitest';
import { injectedFaults, makeTwin, orderFault, receiveLateRequests } from '../support/provider-faults.ts';
import { endFaults, faults, injectFaults, see, stopFaults } from './fault-injection-support.ts';
import {
  convert,
  fpsBody,
  handle,
  ledgerBalance,
  payoutBecomes,
  pixBody,
  quoteBrl,
  readAccount,
  readPayout,
  type Schemas,
  transferBody,
  until,
} from './support.ts';
import { useUpstream } from './use-upstream.ts';

const { upstream, wallet } = useUpstream({ wallet: 'own' });
afterEach(() => endFaults(upstream));

const balanceOf = async ({ uuid }: Schemas['Account']) => (await readAccount(upstream, uuid)).balance;
const payOut = (body: Schemas['PayoutCreate']) => upstream.post<Schemas['Payout']>('/v1/payouts/', body);
const payoutsUnder = async (origin_id: string) =>
  (await upstream.get<Schemas['PayoutPage']>(`/v1/payouts/?origin_id=${origin_id}`)).body.results;

test('a forgotten handle makes a repeated payout a second payout, which is debited and paid again', async () => {
  await convert(upstream, wallet, '50.00');
  const body = pixBody(wallet, '20.00');
  const first = await payOut(body);
  await injectFaults(upstream, { provider: { forgottenHandle: 1 } });
  const twin = await payOut(body);
  await stopFaults(upstream);
  expect([first.status, twin.status]).toEqual([201, 201]);
  expect(twin.body.uuid).not.toBe(first.body.uuid);
  for (const { uuid } of [first.body, twin.body]) await payoutBecomes(upstream, uuid, 'COMPLETED');

  const both = await payoutsUnder(body.origin_id);
  expect(both.map(({ uuid }) => uuid)).toEqual([first.body.uuid, twin.body.uuid]);
  expect(new Set(both.map(({ end_to_end_id }) => end_to_end_id)).size).toBe(2);
  expect(await balanceOf(wallet.brl)).toBe('10.00');
  expect(await faults(upstream)).toEqual({ 'provider.forgottenHandle': 1 });
  expect(await injectedFaults(upstream.url, twin.body.uuid)).toMatchObject([
    { kind: 'provider.forgottenHandle', origin_id: body.origin_id, details: { twin_of: first.body.uuid } },
  ]);
  expect((await payOut(body)).body.uuid).toBe(first.body.uuid);
});

test('a requested twin is made for the matching repetition, however many creations come before it', async () => {
  const [body, other] = [fpsBody(wallet, '3.00'), fpsBody(wallet, '4.00')];
  await orderFault(upstream.url, {
    operation: 'createPayout',
    fault: 'forgottenHandle',
    about: body.origin_id,
  });
  const statuses: number[] = [];
  for (const payout of [body, other, other, body, body]) statuses.push((await payOut(payout)).status);
  expect(statuses).toEqual([201, 201, 200, 201, 200]);
  expect(await balanceOf(wallet.home)).toBe('990.00');
});

test('a twin that the balance does not cover is refused, and then the handle is known again', async () => {
  await convert(upstream, wallet, '20.00');
  const body = pixBody(wallet, '20.00');
  const { uuid } = (await payOut(body)).body;
  await orderFault(upstream.url, { operation: 'createPayout', fault: 'forgottenHandle' });
  expect(await payOut(body)).toMatchObject({ status: 422, body: { code: 'insufficient_funds' } });
  expect(await payOut(body)).toMatchObject({ status: 200, body: { uuid } });
  expect((await payoutsUnder(body.origin_id)).map((one) => one.uuid)).toEqual([uuid]);
  expect(await injectedFaults(upstream.url, body.origin_id)).toMatchObject([
    { kind: 'provider.forgottenHandle', resource_uuid: null, details: { twin_of: uuid } },
  ]);
});

test('handles are forgotten as often as the chance says, even if twins are refused', async () => {
  await convert(upstream, wallet, '20.00');
  const body = pixBody(wallet, '20.00');
  await payOut(body);
  await injectFaults(upstream, { seed: 1, provider: { forgottenHandle: 0.5 } });
  const statuses: number[] = [];
  while (statuses.length < 40) statuses.push((await payOut(body)).status);
  const refused = statuses.filter((status) => status === 422).length;
  expect(refused).toBeGreaterThan(8);
  expect(refused).toBeLessThan(32);
  expect(await faults(upstream)).toEqual({ 'provider.forgottenHandle': refused });
});

test('a late request makes a twin of what its repetition made', async () => {
  const body = fpsBody(wallet, '3.00');
  await orderFault(upstream.url, { operation: 'createPayout', fault: 'receivedLate' });
  expect((await see(upstream, '/v1/payouts/', body)).status).toBe(0);
  const first = (await payOut(body)).body;
  await orderFault(upstream.url, { operation: 'createPayout', fault: 'forgottenHandle' });
  await receiveLateRequests(upstream.url);
  const both = await until(
    () => payoutsUnder(body.origin_id),
    (found) => found.length === 2,
  );
  expect(both[0]?.uuid).toBe(first.uuid);
  expect(await balanceOf(wallet.home)).toBe('994.00');
});

test('the provider pays an unfunded twin from its own funds, and a return goes to each payer', async () => {
  await convert(upstream, wallet, '25.00');
  const body = pixBody(wallet, '20.00');
  await payOut(body);
  await injectFaults(upstream, { provider: { forgottenHandle: 1, unfundedTwin: 1 } });
  const { uuid } = (await payOut(body)).body;
  await stopFaults(upstream);
  await payoutBecomes(upstream, uuid, 'COMPLETED');
  expect(await balanceOf(wallet.brl)).toBe('0.00');
  expect(await ledgerBalance(upstream, 'shortfall:BRL')).toBe('-15.00');
  expect(await injectedFaults(upstream.url, uuid)).toMatchObject([
    { kind: 'provider.forgottenHandle' },
    { kind: 'provider.unfundedTwin', details: { missing: 1500 } },
  ]);

  await upstream.post(`/sandbox/payouts/${uuid}/refund`);
  expect(await balanceOf(wallet.brl)).toBe('5.00');
  expect(await ledgerBalance(upstream, 'shortfall:BRL')).toBe('0.00');
});

test('a twin of a conversion takes the same quote again', async () => {
  const body = transferBody(wallet, await quoteBrl(upstream, '20.00'));
  const start = () => upstream.post<Schemas['InternalTransfer']>('/v1/internal_transfers/', body);
  const first = (await start()).body;
  await orderFault(upstream.url, { operation: 'createInternalTransfer', fault: 'forgottenHandle' });
  const twin = (await start()).body;
  expect(twin).toMatchObject({ origin_id: first.origin_id, source_amount: first.source_amount });
  expect(twin.uuid).not.toBe(first.uuid);
  await until(
    () => balanceOf(wallet.brl),
    (balance) => balance === '40.00',
  );
  expect(await balanceOf(wallet.home)).toBe((1000 - 2 * Number(first.source_amount)).toFixed(2));
});

test('owners and accounts can have twins', async () => {
  await injectFaults(upstream, { provider: { forgottenHandle: 1 } });
  const owner = { external_id: handle('owner'), mode: 'hosted' };
  const account = { external_id: handle('account'), owner_uuid: wallet.owner.uuid, currency: 'EUR' };
  for (const [path, body] of [
    ['/v1/accounts/owners/', owner],
    ['/v1/accounts/', account],
  ] as const) {
    const uuids = new Set<string>();
    for (let calls = 0; calls < 2; calls++)
      uuids.add((await upstream.post<Schemas['Owner']>(path, body)).body.uuid);
    const found = await upstream.get<Schemas['OwnerPage']>(`${path}?external_id=${body.external_id}`);
    expect(new Set(found.body.results.map(({ uuid }) => uuid))).toEqual(uuids);
    expect(uuids.size).toBe(2);
  }
});

test('a tester can give a payout a twin, even one that the balance does not cover', async () => {
  await convert(upstream, wallet, '20.00');
  const body = pixBody(wallet, '20.00');
  const first = (await payOut(body)).body;
  const twin = await makeTwin(upstream.url, first.uuid);
  await payoutBecomes(upstream, twin.uuid, 'COMPLETED');
  expect(await readPayout(upstream, twin.uuid)).toMatchObject({ origin_id: body.origin_id, amount: '20.00' });
  expect((await payoutsUnder(body.origin_id)).map(({ uuid }) => uuid)).toEqual([first.uuid, twin.uuid]);
  await expect(makeTwin(upstream.url, handle('nothing'))).rejects.toThrow('404');
});
