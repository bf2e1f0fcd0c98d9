// The outcomes of payments, withdrawals and verifications are counted by reason, refusals by code, and the provider's news by how they
// are found. Every series exists before its first event.
import { expect, test } from 'vitest';
import { countBacklog } from '../../src/metrics/backlog.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { gbp } from '../support/bank-details.ts';
import { call } from '../support/http.ts';
import { valueOf } from '../support/metrics.ts';
import { makePollsDue } from '../support/outbox.ts';
import { must, passVerification, pay, quote, reaches, signUp } from '../support/person.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

const { world, ada } = useWorld({ deposit: '1000.00' });

const valueIs = (series: string): Promise<number | undefined> =>
  valueOf(world.service.app.metrics.registry, series);
const outcomes = (lifecycle: string, outcome: string, reason: string): Promise<number | undefined> =>
  valueIs(`ponte_outcomes_total{lifecycle="${lifecycle}",outcome="${outcome}",reason="${reason}"}`);
const refused = () => valueIs('ponte_http_refusals_total{code="unauthorized"}');
const news = (source: string) => valueIs(`ponte_provider_news_total{source="${source}"}`);
const isCounted = (count: () => Promise<number | undefined>, expected: number) =>
  until(count, (found) => found === expected);

test('a failed payment is counted by its reason, and a completed one without a reason', async () => {
  await reaches(ada, await pay(ada, await quote(ada, 6.66)), 'failed');
  await isCounted(() => outcomes('pix_payment', 'failed', 'conversion_failed'), 1);
  const toUnknown = { pixKey: 'unknown@pix.example', pixKeyType: 'email' } as const;
  const waiting = await reaches(ada, await pay(ada, await quote(ada, 11), toUnknown), 'payout_failed');
  await isCounted(() => outcomes('pix_payment', 'payout_failed', 'recipient_unknown'), 1);
  const { sourceAmount } = await ada.ponte.payment(waiting.id);
  const backlog = await countBacklog(world.service.app.db, world.clock.now());
  const held = 'ponte_waiting_money{reason="payout_failed",currency="GBP"}';
  expect(await valueOf(backlog, held)).toBe(Number(sourceAmount) / 100);
  await reaches(ada, await pay(ada, await quote(ada, 12)), 'completed');
  await isCounted(() => outcomes('pix_payment', 'completed', 'none'), 1);
  expect(await outcomes('pix_payment', 'failed', 'quote_expired')).toBe(0);
});

test('a withdrawal is counted by its outcome, and a returned one by that reason', async () => {
  must(await ada.api.POST('/bank-details', { body: gbp }));
  must(await ada.api.POST('/withdraws', { body: { amount: 1_212 } }));
  await isCounted(() => outcomes('withdraw', 'completed', 'none'), 1);
  expect(await valueIs('ponte_withdraw_duration_seconds_count{outcome="completed"}')).toBe(1);
  must(await ada.api.POST('/withdraws', { body: { amount: 1_313 } }));
  await isCounted(() => outcomes('withdraw', 'failed', 'withdraw_failed'), 1);
  must(await ada.api.POST('/withdraws', { body: { amount: 1_414 } }));
  await isCounted(() => outcomes('withdraw', 'failed', 'withdraw_returned'), 1);
  expect(await valueIs('ponte_withdraw_duration_seconds_count{outcome="failed"}')).toBe(2);
});

test('a verification is counted by its outcome and reason, and not as a change that a callback reports', async () => {
  expect(await outcomes('kyc', 'completed', 'none')).toBe(1);
  const byPolls = await news('poll');
  const bea = await signUp(world);
  must(await bea.api.PATCH('/me', { body: { homeCurrency: 'GBP' } }));
  await passVerification(bea, 'Bea Ineligible');
  expect(await isCounted(() => outcomes('kyc', 'failed', 'not_eligible'), 1)).toBe(1);
  // The provider's contract has no event for it, so a poll always finds it.
  expect(await news('poll')).toBe(byPolls);
});

test('a refused request is counted by the code of its refusal', async () => {
  const before = Number(await refused());
  await call(world, 'GET', '/me');
  expect(await isCounted(refused, before + 1)).toBe(before + 1);
});

test('a change that a callback reports is told from one that a poll finds', async () => {
  expect(await news('callback')).toBeGreaterThan(0);
  const byPolls = Number(await news('poll'));
  await faultInjection({ callbacks: { lost: 1 } });
  const id = await pay(ada, await quote(ada, 13));
  await until(
    async () => {
      await makePollsDue(world, 'subject_kind', 'pix_payment');
      return must(await ada.api.GET('/pix/payments/{id}', { params: { path: { id } } })).status;
    },
    (status) => status === 'completed',
  );
  await faultInjection({});
  expect(await news('poll')).toBeGreaterThan(byPolls);
});

async function faultInjection(configuration: object): Promise<void> {
  await fetch(`${world.sandboxUrl}/sandbox/fault-injection`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(configuration),
  });
}

test('every answer that an operation declares has a series before the first such answer', async () => {
  const requests = (operation: string, status: number) =>
    valueIs(`ponte_http_requests_total{operation="${operation}",status="${status}"}`);
  expect(await requests('createPixPayment', 502)).toBe(0);
  expect(await requests('createSession', 502)).toBe(0);
  expect(await valueIs('ponte_provider_calls_total{operation="createPayout",outcome="failed"}')).toBe(0);
});

test('what a payment’s conversions left over is counted apart from what the company bore for its return', async () => {
  const { registry, reached } = createMetrics({ version: '1.2.3' });
  const ended = { lifecycle: 'pix_payment', outcome: 'completed', reason: null, seconds: 1 } as const;
  reached({ ...ended, residues: { USDC: 1_500_000, BRL: 0 } });
  reached({ ...ended, outcome: 'refunded', residues: { USDC: 0, BRL: -37 } });
  const sums = ['ponte_residues_total', 'ponte_return_subsidies_total'].flatMap((name) =>
    ['USDC', 'BRL'].map((currency) => valueOf(registry, `${name}{currency="${currency}"}`)),
  );
  expect(await Promise.all(sums)).toEqual([1.5, 0, 0, 0.37]);
});

test('every outcome has a series before its first event', async () => {
  const { registry } = createMetrics({ version: '1.2.3' });
  for (const series of [
    'ponte_outcomes_total{lifecycle="pix_payment",outcome="refunded",reason="refunded"}',
    'ponte_outcomes_total{lifecycle="withdraw",outcome="failed",reason="withdraw_returned"}',
    'ponte_outcomes_total{lifecycle="kyc",outcome="failed",reason="none"}',
    'ponte_payment_duration_seconds_count{outcome="payout_failed"}',
    'ponte_withdraw_duration_seconds_count{outcome="failed"}',
    'ponte_http_refusals_total{code="identity_provider_unavailable"}',
    'ponte_provider_news_total{source="poll"}',
  ])
    expect([series, await valueOf(registry, series)]).toEqual([series, 0]);
});
