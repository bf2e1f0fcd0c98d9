// Users learn why a payment did not arrive and whether a retry helps. A reason changes nothing about the money.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { PixPayment } from '../../packages/client/src/index.ts';
import { failureReasons } from '../../src/domain/failure-reasons.ts';
import { payoutFailures } from '../../src/domain/payout-failures.ts';
import { opsHere } from '../ops/support.ts';
import { byTable } from '../support/by-table.ts';
import { balanceOf, must, pay, postJson, quote, reaches } from '../support/person.ts';
import { misreport } from '../support/provider-faults.ts';
import { until } from '../support/until.ts';
import { payoutsOf } from '../support/upstream.ts';
import { useWorld } from '../support/use-world.ts';

const { world, ada } = useWorld({ deposit: '1000.00' });

const payTo = async (pixKey: string) => pay(ada, await quote(ada, 10), { pixKey, pixKeyType: 'email' });
const paymentOf = async (id: string): Promise<PixPayment> =>
  must(await ada.api.GET('/pix/payments/{id}', { params: { path: { id } } }));
const retry = async (id: string): Promise<PixPayment> =>
  must(await ada.api.POST('/pix/payments/{id}/retry', { params: { path: { id } } }));

const rowOf = (id: string) =>
  byTable(world.service.app.db)
    .selectFrom('pix_payments')
    .select(['payout_failure_code', 'payout_failure_limit', 'payout_retry_from'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
const NOTHING = { payout_failure_code: null, payout_failure_limit: null, payout_retry_from: null };

/** Pays a payout that fails while the provider reports these fields. */
async function failsWith(fields: object): Promise<PixPayment> {
  const id = await payTo('slow@pix.example');
  const [payout] = await until(
    () => payoutsOf(world, id),
    ({ length }) => length > 0,
  );
  const uuid = payout?.uuid ?? '';
  await misreport(world.sandboxUrl, uuid, fields);
  await postJson(`${world.sandboxUrl}/sandbox/payouts/${uuid}/fail`, {});
  return reaches(ada, id, 'payout_failed');
}

test.each([
  ['unknown', 'recipient_unknown', 'recipient_unknown', null, false],
  ['expensive', 'payout_failed', 'limit_reached', 'per_payment', false],
  ['daily', 'payout_failed', 'limit_reached', 'day', true],
  ['nightly', 'payout_failed', 'limit_reached', 'night', true],
  ['blocked', 'payout_failed', 'account_blocked', null, false],
  ['mismatch', 'payout_failed', 'name_mismatch', null, false],
  ['closed', 'payout_failed', 'recipient_bank_unavailable', null, true],
  ['stale', 'payout_failed', 'code_expired', null, false],
  ['fail', 'payout_failed', 'other', null, true],
] as const)(
  'a payment to %s@pix.example fails with %s, because of %s (%s)',
  async (key, failureCode, code, limit, retryHelps) => {
    const payment = await reaches(ada, await payTo(`${key}@pix.example`), 'payout_failed');
    const [payout] = await payoutsOf(world, payment.id);
    expect(payment).toMatchObject({
      failureCode,
      failureReason: payoutFailures[limit ?? code].sentence,
      payoutFailure: { code, limit, retryHelps, retryFrom: payout?.retry_from },
    });
    const [listed] = must(await ada.api.GET('/pix/payments', { params: { query: { limit: 1 } } }));
    expect(listed).toEqual(payment);
    const { out } = await opsHere(world.service.app, ['show', payment.id]);
    expect(out).toMatch(new RegExp(`payout failed +${code}.*${retryHelps ? 'helps' : 'does not help'}`));
    expect(out).toContain(payoutFailures[limit ?? code].sentence);
  },
);

test('a retry is accepted before its time, and the payment that arrives has no reason any more', async () => {
  const before = await balanceOf(ada);
  const { id, payoutFailure, sourceAmount } = await reaches(
    ada,
    await payTo('nightly@pix.example'),
    'payout_failed',
  );
  expect(Date.parse(payoutFailure?.retryFrom ?? '')).toBeGreaterThan(Date.now());
  const paying = await retry(id);
  expect(paying).toMatchObject({ status: 'paying', failureCode: null, failureReason: null });
  expect(paying).not.toHaveProperty('payoutFailure');
  expect(await reaches(ada, id, 'completed')).not.toHaveProperty('payoutFailure');
  expect(await rowOf(id)).toEqual(NOTHING);
  expect(await balanceOf(ada)).toBe((before ?? 0) - (sourceAmount ?? 0));
});

test('a retry that fails again has the reason of the last attempt', async () => {
  const { id } = await failsWith({ failure_code: 'limit_reached', failure_limit: 'day' });
  expect(await paymentOf(id)).toMatchObject({ payoutFailure: { code: 'limit_reached', limit: 'day' } });
  const [payout] = await payoutsOf(world, id);
  await retry(id);
  await until(
    () => payoutsOf(world, id),
    ([again]) => again?.attempt === 2,
  );
  await misreport(world.sandboxUrl, payout?.uuid ?? '', { failure_code: 'account_blocked' });
  await postJson(`${world.sandboxUrl}/sandbox/payouts/${payout?.uuid}/fail`, {});
  expect((await reaches(ada, id, 'payout_failed')).payoutFailure).toEqual({
    code: 'account_blocked',
    limit: null,
    retryHelps: false,
    retryFrom: null,
  });
});

test.each([
  ['no code', { failure_code: null }, undefined],
  ['a limit without a code', { failure_code: null, failure_limit: 'night' }, undefined],
  ['an unknown code', { failure_code: 'eclipse' }, ['other', null, null]],
  [
    'an unknown limit without a time',
    { failure_code: 'limit_reached', failure_limit: 'month', retry_from: 'soon' },
    ['limit_reached', null, null],
  ],
  [
    'a limit that ends in the year 9999',
    { failure_code: 'limit_reached', failure_limit: 'night', retry_from: '9999-12-31T00:00:00.000Z' },
    ['limit_reached', 'night', null],
  ],
])('a payout that fails with %s can be retried', async (_what, fields, shown) => {
  const { id, failureCode, payoutFailure } = await failsWith(fields);
  expect(failureCode).toBe('payout_failed');
  expect(payoutFailure && [payoutFailure.code, payoutFailure.limit, payoutFailure.retryFrom]).toEqual(shown);
  expect(payoutFailure?.retryHelps ?? true).toBe(true);
  expect((await retry(id)).status).toBe('paying');
});

test('a refused payout has no reason, and its sentence is that of every failed payout', async () => {
  const payment = await reaches(ada, await payTo('reject@pix.example'), 'payout_failed');
  expect(payment).not.toHaveProperty('payoutFailure');
  expect(payment.failureReason).toBe(failureReasons.payout_failed);
});

test('a reason that a process of an earlier version left is shown no more once the payment is retried', async () => {
  const id = await payTo('slow@pix.example');
  const [payout] = await until(
    () => payoutsOf(world, id),
    ({ length }) => length > 0,
  );
  await reaches(ada, id, 'paying');
  await sql`update pix_payments set payout_failure_code = 'account_blocked' where id = ${id}`.execute(
    world.service.app.db,
  );
  expect(await paymentOf(id)).not.toHaveProperty('payoutFailure');
  await postJson(`${world.sandboxUrl}/sandbox/payouts/${payout?.uuid}/complete`, {});
  expect(await reaches(ada, id, 'completed')).not.toHaveProperty('payoutFailure');
  expect(await rowOf(id)).toEqual(NOTHING);
});
