// Requests that the provider receives long after their connection broke, and processes by its state at that time.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  advanceProviderClock,
  injectedFaults,
  lateRequests,
  orderFault,
  receiveLateRequests,
} from '../support/provider-faults.ts';
import { faults, injectFaults, see, stopFaults } from './fault-injection-support.ts';
import {
  fpsBody,
  fundedWallet,
  ledger,
  quoteBrl,
  readAccount,
  type Schemas,
  startUpstream,
  transferBody,
  type Upstream,
  until,
  type Wallet,
} from './support.ts';

let data: string;
let upstream: Upstream;
let wallet: Wallet;
beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'sandbox-'));
  upstream = await startUpstream({ data });
  wallet = await fundedWallet(upstream);
});
afterEach(async () => {
  const books = await ledger(upstream);
  await upstream.close();
  rmSync(data, { recursive: true });
  if (!books.balanced) throw new Error('the books are wrong');
});

const NOTHING = { status: 0, text: '', fault: 'UND_ERR_SOCKET' };
const balance = async () => (await readAccount(upstream, wallet.home.uuid)).balance;

const payoutsUnder = async (handle: string) =>
  (await upstream.get<Schemas['PayoutPage']>(`/v1/payouts/?origin_id=${handle}`)).body.results;

/** Waits until every late request has been processed. */
const judged = () =>
  until(
    () => lateRequests(upstream.url),
    (requests) => requests.every(({ received_at }) => received_at !== null),
  );

test('a late request breaks its connection, and makes the payout when it arrives', async () => {
  const body = fpsBody(wallet, '7.00');
  await orderFault(upstream.url, {
    operation: 'createPayout',
    fault: 'receivedLate',
    details: { lateMs: 45_000 },
  });
  expect(await see(upstream, '/v1/payouts/', body)).toMatchObject(NOTHING);
  expect(await payoutsUnder(body.origin_id)).toEqual([]);
  await advanceProviderClock(upstream.url, 44_000);
  expect(await payoutsUnder(body.origin_id)).toEqual([]);
  expect(await balance()).toBe('1000.00');

  await advanceProviderClock(upstream.url, 1_000);
  const [late] = await judged();
  expect(late).toMatchObject({ operation: 'createPayout', status: 201 });
  const [payout] = await payoutsUnder(body.origin_id);
  expect(payout?.uuid).toBe(late?.reply?.uuid);
  expect(await balance()).toBe('993.00');
  expect(await injectedFaults(upstream.url)).toMatchObject([
    {
      kind: 'provider.receivedLate',
      resource_uuid: payout?.uuid,
      origin_id: body.origin_id,
      details: { operation: 'createPayout', lateMs: 45_000 },
    },
  ]);
});

test("a late conversion is judged by the quote's life when it arrives", async () => {
  const inTime = transferBody(wallet, await quoteBrl(upstream, '20.00'));
  const tooLate = transferBody(wallet, await quoteBrl(upstream, '30.00'));
  for (const [body, lateMs] of [
    [inTime, 55_000],
    [tooLate, 65_000],
  ] as const) {
    const about = body.origin_id;
    await orderFault(upstream.url, {
      operation: 'createInternalTransfer',
      fault: 'receivedLate',
      about,
      details: { lateMs },
    });
    expect(await see(upstream, '/v1/internal_transfers/', body)).toMatchObject(NOTHING);
  }
  await advanceProviderClock(upstream.url, 55_000);
  await until(
    () => lateRequests(upstream.url),
    ([first]) => first?.received_at !== null,
  );
  await advanceProviderClock(upstream.url, 10_000);
  expect(await judged()).toMatchObject([
    { status: 201, reply: { origin_id: inTime.origin_id } },
    { status: 409, reply: { code: 'quote_expired' } },
  ]);
});

test('a late payout can still succeed after its repetition was refused', async () => {
  const everything = fpsBody(wallet, '1000.00');
  await upstream.post('/v1/payouts/', { ...fpsBody(wallet, '13.13') });
  await until(balance, (amount) => amount === '1000.00');
  const body = fpsBody(wallet, '600.00');
  await orderFault(upstream.url, {
    operation: 'createPayout',
    fault: 'receivedLate',
    about: body.origin_id,
    details: { lateMs: 60_000 },
  });
  expect(await see(upstream, '/v1/payouts/', body)).toMatchObject(NOTHING);
  const { uuid } = (await upstream.post<Schemas['Payout']>('/v1/payouts/', everything)).body;
  expect(await upstream.post('/v1/payouts/', body)).toMatchObject({
    status: 422,
    body: { code: 'insufficient_funds' },
  });
  await until(
    () => upstream.get<Schemas['Payout']>(`/v1/payouts/${uuid}/`),
    ({ body: { status } }) => status === 'COMPLETED',
  );
  await upstream.post(`/sandbox/payouts/${uuid}/refund`);

  expect(await receiveLateRequests(upstream.url, body.origin_id)).toBe(1);
  expect(await judged()).toMatchObject([{ status: 201 }]);
  expect(await payoutsUnder(body.origin_id)).toHaveLength(1);
  expect(await balance()).toBe('400.00');
});

test('a late payout finds what its repetition made, and makes nothing more', async () => {
  const body = fpsBody(wallet, '7.00');
  await orderFault(upstream.url, { operation: 'createPayout', fault: 'receivedLate' });
  expect(await see(upstream, '/v1/payouts/', body)).toMatchObject(NOTHING);
  const { uuid } = (await upstream.post<Schemas['Payout']>('/v1/payouts/', body)).body;
  await receiveLateRequests(upstream.url);
  expect(await judged()).toMatchObject([{ reply: { uuid } }]);
  expect(await payoutsUnder(body.origin_id)).toHaveLength(1);
  expect(await balance()).toBe('993.00');
});

test('a late payout that the balance no longer covers is refused, and its handle stays free', async () => {
  const body = fpsBody(wallet, '600.00');
  await orderFault(upstream.url, {
    operation: 'createPayout',
    fault: 'receivedLate',
    details: { lateMs: 90_000 },
  });
  expect(await see(upstream, '/v1/payouts/', body)).toMatchObject(NOTHING);
  await upstream.post('/v1/payouts/', fpsBody(wallet, '600.00'));
  await receiveLateRequests(upstream.url);
  expect(await judged()).toMatchObject([{ status: 422, reply: { code: 'insufficient_funds' } }]);
  expect(await payoutsUnder(body.origin_id)).toEqual([]);
  expect(await balance()).toBe('400.00');
});

test('a late request still arrives after a restart', async () => {
  const body = fpsBody(wallet, '7.00');
  await orderFault(upstream.url, {
    operation: 'createPayout',
    fault: 'receivedLate',
    details: { lateMs: 60_000 },
  });
  expect(await see(upstream, '/v1/payouts/', body)).toMatchObject(NOTHING);
  await advanceProviderClock(upstream.url, 30_000);
  await upstream.close();
  upstream = await startUpstream({ data });
  expect(await payoutsUnder(body.origin_id)).toEqual([]);
  await advanceProviderClock(upstream.url, 30_000);
  expect(await judged()).toMatchObject([{ status: 201 }]);
});

test('random late requests affect only writes, and none is later than configured', async () => {
  await injectFaults(upstream, { seed: 3, provider: { receivedLate: 1, lateMs: 20_000 } });
  const bodies = ['1.00', '2.00', '3.00'].map((amount) => fpsBody(wallet, amount));
  for (const body of bodies) expect(await see(upstream, '/v1/payouts/', body)).toMatchObject(NOTHING);
  expect((await see(upstream, '/v1/payouts/')).status).toBe(200);
  expect(await faults(upstream)).toEqual({ 'provider.receivedLate': 3 });
  const delays = (await lateRequests(upstream.url)).map(
    (one) => Date.parse(one.due_at) - Date.parse(one.sent_at),
  );
  for (const delayMs of delays) expect(delayMs).toBeLessThanOrEqual(20_000);
  expect(new Set(delays).size).toBe(3);

  await stopFaults(upstream);
  await advanceProviderClock(upstream.url, 20_000);
  await judged();
  for (const { origin_id } of bodies) expect(await payoutsUnder(origin_id)).toHaveLength(1);
  expect(await balance()).toBe('994.00');
});

test.each([
  [{ operation: 'getPayout' }, 'operation must be one of createOwner, createAccount'],
  [{ details: { lateMs: -1 } }, 'details.lateMs must be a whole number from 0 to 3600000'],
  [{ details: { late: 1 } }, 'details.late is not known here'],
])('a request for a late call with %j is refused', async (change, sentence) => {
  const order = orderFault(upstream.url, {
    operation: 'createPayout',
    fault: 'receivedLate',
    ...change,
  } as never);
  await expect(order).rejects.toThrow(sentence);
});
