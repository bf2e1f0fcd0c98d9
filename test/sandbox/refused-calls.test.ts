// Calls that are rejected or answered late: limited operations, refusals without a reason, and hanging rails. Also quotes that
// claim to live longer than they do.
import { afterEach, expect, test } from 'vitest';
import { advanceProviderClock, clearFaults, injectedFaults, orderFault } from '../support/provider-faults.ts';
import { endFaults, faults, injectFaults, see } from './fault-injection-support.ts';
import {
  convert,
  fpsBody,
  pixBody,
  quoteBrl,
  readAccount,
  type Schemas,
  transferBody,
  until,
} from './support.ts';
import { useUpstream } from './use-upstream.ts';

const { upstream, wallet } = useUpstream({ wallet: 'shared' });
afterEach(() => endFaults(upstream));

const payouts = () => see(upstream, '/v1/payouts/', undefined, 30_000);
const balance = async () => (await readAccount(upstream, wallet.home.uuid)).balance;

test('a limited operation is refused for as long as it says, and the others continue', async () => {
  await orderFault(upstream.url, {
    operation: 'findPayouts',
    fault: 'limitedOperation',
    details: { limitedForSeconds: 300 },
  });
  const first = await payouts();
  expect([first.status, first.headers['retry-after']]).toEqual([429, '300']);
  expect(JSON.parse(first.text)).toMatchObject({ code: 'rate_limited' });
  expect((await upstream.get('/v1/internal_transfers/')).status).toBe(200);
  await advanceProviderClock(upstream.url, 200_000);
  const second = await payouts();
  expect(second.status).toBe(429);
  expect(Number(second.headers['retry-after'])).toBeLessThanOrEqual(100);
  await advanceProviderClock(upstream.url, 100_000);
  expect((await payouts()).status).toBe(200);
  expect(await faults(upstream)).toEqual({ 'provider.limitedOperation': 1 });
});

test('a random limit lasts ten minutes by default', async () => {
  await injectFaults(upstream, { provider: { limitedOperation: 1 } });
  expect((await payouts()).headers['retry-after']).toBe('600');
  await clearFaults(upstream.url);
  expect((await payouts()).status).toBe(200);
});

test('a call that is refused without a reason has the requested code, and does nothing', async () => {
  const body = fpsBody(wallet, '1.00');
  const before = await balance();
  await orderFault(upstream.url, {
    operation: 'createPayout',
    fault: 'refused',
    details: { code: 'insufficient_funds' },
  });
  expect(await upstream.post('/v1/payouts/', body)).toMatchObject({
    status: 422,
    body: { code: 'insufficient_funds' },
  });
  await injectFaults(upstream, { provider: { refused: 1 } });
  expect(await upstream.post('/v1/payouts/', body)).toMatchObject({
    status: 422,
    body: { code: 'rejected' },
  });
  expect((await payouts()).status).toBe(200);
  await clearFaults(upstream.url);
  expect(await balance()).toBe(before);
  expect((await upstream.post('/v1/payouts/', body)).status).toBe(201);
  expect(await injectedFaults(upstream.url, body.origin_id)).toMatchObject([
    { kind: 'provider.refused', details: { operation: 'createPayout', code: 'insufficient_funds' } },
    { kind: 'provider.refused', details: { code: 'rejected' } },
  ]);
});

test('a hanging rail does the work and answers late, and other rails answer immediately', async () => {
  await convert(upstream, wallet, '10.00');
  const [pix, again, fps] = [pixBody(wallet, '1.00'), pixBody(wallet, '1.00'), fpsBody(wallet, '1.00')];
  await orderFault(upstream.url, {
    operation: 'createPayout',
    fault: 'hangingRail',
    details: { railDelayMs: 600_000, railHangsForMs: 60_000 },
  });
  for (const body of [pix, again])
    expect(await see(upstream, '/v1/payouts/', body, 300)).toMatchObject({
      status: 0,
      fault: 'TimeoutError',
    });
  expect((await upstream.post('/v1/payouts/', fps)).status).toBe(201);
  for (const { origin_id } of [pix, again]) {
    const { body } = await upstream.get<Schemas['PayoutPage']>(`/v1/payouts/?origin_id=${origin_id}`);
    expect(body.results).toHaveLength(1);
    expect(await injectedFaults(upstream.url, origin_id)).toMatchObject([
      { kind: 'provider.hangingRail', details: { rail: 'PIX', delay_ms: 600_000 } },
    ]);
  }
  await advanceProviderClock(upstream.url, 60_000);
  expect((await upstream.post('/v1/payouts/', pixBody(wallet, '1.00'))).status).toBe(201);
});

test('a random hanging rail answers as late as configured', async () => {
  await injectFaults(upstream, { provider: { hangingRail: 1, railDelayMs: 600_000 } });
  const body = fpsBody(wallet, '1.00');
  expect(await see(upstream, '/v1/payouts/', body, 300)).toMatchObject({
    status: 0,
    fault: 'TimeoutError',
  });
  expect(await injectedFaults(upstream.url, body.origin_id)).toMatchObject([
    { kind: 'provider.hangingRail', details: { rail: 'FPS', delay_ms: 600_000 } },
  ]);
});

test.each([
  ['by order', () => orderFault(upstream.url, { operation: 'createQuote', fault: 'longQuote' })],
  ['by chance', () => injectFaults(upstream, { provider: { longQuote: 1 } })],
])('a long quote %s promises an hour and lives a minute', async (_how, set) => {
  await set();
  const { now } = await advanceProviderClock(upstream.url, 0);
  const quote = await quoteBrl(upstream, '1.00');
  expect(Date.parse(quote.expires_at) - Date.parse(now)).toBeGreaterThanOrEqual(3_600_000);
  await advanceProviderClock(upstream.url, 60_000);
  expect(await upstream.post('/v1/internal_transfers/', transferBody(wallet, quote))).toMatchObject({
    status: 409,
    body: { code: 'quote_expired' },
  });
  await until(
    () => injectedFaults(upstream.url, quote.uuid),
    (records) => records[0]?.kind === 'provider.longQuote',
  );
});
