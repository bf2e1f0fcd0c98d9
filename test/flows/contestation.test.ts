// A user contests a completed payment. The provider decides, money comes back in part or as a whole, and an operator converts a part.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { handleFor } from '../../src/domain/handles.ts';
import { reconcile } from '../../src/jobs/reconcile-by-hand.ts';
import { opsHere } from '../ops/support.ts';
import { byTable } from '../support/by-table.ts';
import { call } from '../support/http.ts';
import { outboxEmpties } from '../support/outbox.ts';
import { balanceOf, must, type Person, pay, quote, reaches, refusalIn, verified } from '../support/person.ts';
import { clearFaults, orderFault, stepProviderClockBack } from '../support/provider-faults.ts';
import { until } from '../support/until.ts';
import { movementsOf, payoutsOf } from '../support/upstream.ts';
import { useWorld } from '../support/use-world.ts';

vi.setConfig({ testTimeout: 30_000, hookTimeout: 60_000 });

const DAY = 24 * 60 * 60_000;
const scam = { reason: 'scam', description: 'The shop does not exist.' } as const;

let ada: Person;
const { world, proxy, db } = useWorld({ proxy: true });
beforeEach(async () => {
  ada = await verified(world, { deposit: '1000.00' });
});
afterEach(async () => {
  await clearFaults(world.sandboxUrl);
});

async function completed(amountBrl: number, pixKey = 'undecided@pix.example'): Promise<string> {
  const id = await pay(ada, await quote(ada, amountBrl), { pixKey, pixKeyType: 'email' });
  await reaches(ada, id, 'completed');
  await outboxEmpties(world);
  return id;
}

const path = (id: string) => ({ params: { path: { id } } });
const contest = (
  id: string,
  body: { reason: 'scam' | 'unauthorised' | 'coercion'; description: string } = scam,
) => ada.api.POST('/pix/payments/{id}/contestation', { ...path(id), body });
const contestationOf = async (id: string) =>
  must(await ada.api.GET('/pix/payments/{id}/contestation', path(id)));
const paymentOf = async (id: string) => must(await ada.api.GET('/pix/payments/{id}', path(id)));
const transactionOf = async (id: string) =>
  must(await ada.api.GET('/transactions/{id}', path((await paymentOf(id)).transactionId)));
const refundsOf = (id: string) =>
  byTable(db()).selectFrom('payout_refunds').selectAll().where('payment_id', '=', id).execute();
const rowsOf = (id: string) =>
  byTable(db()).selectFrom('contestations').selectAll().where('payment_id', '=', id).execute();
const discrepanciesOf = (id: string) =>
  byTable(db()).selectFrom('discrepancies').selectAll().where('subject_id', '=', id).execute();

async function returnsPart(id: string, amount: string, callback = '') {
  const [payout] = await payoutsOf(world, id);
  const response = await fetch(`${world.sandboxUrl}/sandbox/payouts/${payout?.uuid}/refund-part`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ amount, callback }),
  });
  expect(response.status).toBe(200);
}
const returned = (id: string, amount: string) =>
  until(
    () => paymentOf(id),
    (payment) => payment['returnedAmountBrl'] === amount,
  );
const converts = (id: string, movement: string) =>
  opsHere(world.service.app, ['payments', 'return', id, '--partial', movement, '--reason', 'ticket 4720']);

test('a payment is contested once, and a part of it comes back', async () => {
  const id = await completed(100, 'joana@pix.example');
  expect((await paymentOf(id)).contestationStatus).toBeNull();
  const made = await contest(id, { ...scam, description: ' The shop does\nnot exist. ' });
  expect(made.response.status).toBe(201);
  expect(made.data).toMatchObject({ paymentId: id, status: 'open', ...scam, resolvedAt: null });

  const repeated = await contest(id);
  expect([repeated.response.status, repeated.data]).toEqual([200, made.data]);
  expect(refusalIn(await contest(id, { ...scam, reason: 'coercion' }))).toEqual([409, 'already_contested']);
  expect((await paymentOf(id)).contestationStatus).toBe('open');

  await returned(id, '50.00');
  await until(
    () => paymentOf(id),
    (payment) => payment['contestationStatus'] === 'accepted',
  );
  expect(await contestationOf(id)).toMatchObject({ status: 'accepted', resolvedAt: expect.any(String) });
  expect(await paymentOf(id)).toMatchObject({ status: 'completed', returnedAmountBrl: '50.00' });
  expect(await transactionOf(id)).toMatchObject({ status: 'completed', returnedAmountBrl: '50.00' });
  expect(must(await ada.api.GET('/pix/payments/{id}/receipt', path(id)))).toMatchObject({
    amountBrl: '100.00',
    returnedAmountBrl: '50.00',
  });
});

test('a rejected contestation brings nothing back', async () => {
  const id = await completed(20, 'denied@pix.example');
  must(await contest(id));
  await until(
    () => paymentOf(id),
    (payment) => payment['contestationStatus'] === 'rejected',
  );
  expect(await paymentOf(id)).toMatchObject({ status: 'completed', returnedAmountBrl: null });
});

test('a payment that comes back whole is settled by support', async () => {
  const id = await completed(20, 'whole@pix.example');
  must(await contest(id));
  await reaches(ada, id, 'manual_review');
  await until(
    () => paymentOf(id),
    (payment) => payment['contestationStatus'] === 'accepted',
  );
  expect(await refundsOf(id)).toEqual([]);
});

test('only a completed payment of the user that is younger than 80 days is contested', async () => {
  const failed = await pay(ada, await quote(ada, 20), { pixKey: 'fail@pix.example', pixKeyType: 'email' });
  await reaches(ada, failed, 'payout_failed');
  expect(refusalIn(await contest(failed))).toEqual([409, 'not_contestable']);
  const bob = await verified(world, { deposit: '1000.00' });
  const id = await completed(21);
  expect(
    refusalIn(await bob.api.POST('/pix/payments/{id}/contestation', { ...path(id), body: scam })),
  ).toEqual([404, 'not_found']);
  expect(refusalIn(await bob.api.GET('/pix/payments/{id}/contestation', path(id)))).toEqual([
    404,
    'not_found',
  ]);
  for (const description of ['   ', 'a\u202Eb', 'x'.repeat(1_001)])
    expect(refusalIn(await contest(id, { ...scam, description }))).toEqual([400, 'invalid_request']);
  await byTable(db())
    .updateTable('pix_payments')
    .set({ state_entered_at: new Date(Date.now() - 80 * DAY) })
    .where('id', '=', id)
    .execute();
  expect(refusalIn(await contest(id))).toEqual([409, 'not_contestable']);
  expect(await rowsOf(id)).toEqual([]);
});

test.each([404, 405, 501])(
  'a provider that answers %i has no contestations, and nothing is stored',
  async (status) => {
    const id = await completed(22);
    proxy.spoil({ operation: 'createContestation', spoilt: { status }, forwarded: false });
    expect(refusalIn(await contest(id))).toEqual([409, 'not_offered']);
    expect(await rowsOf(id)).toEqual([]);
    expect((await paymentOf(id)).contestationStatus).toBeNull();
  },
);

test('a contestation without an answer is stored, and asked for again under its handle', async () => {
  const id = await completed(23, 'denied@pix.example');
  proxy.spoil({ operation: 'createContestation', spoilt: 'cut', forwarded: true });
  expect((await contest(id)).response.status).toBe(201);
  expect(await rowsOf(id)).toMatchObject([{ state: 'requested' }]);
  await reconcile(world.service.app);
  await until(
    () => contestationOf(id),
    ({ status }) => status === 'rejected',
  );
});

test('concurrent requests make one contestation', async () => {
  const id = await completed(24);
  const made = await Promise.all([1, 2, 3].map(() => contest(id)));
  expect(made.map(({ response }) => response.status).toSorted((one, other) => one - other)).toEqual([
    200, 200, 201,
  ]);
  expect(await rowsOf(id)).toHaveLength(1);
});

test('an operator converts a part that came back, once, to what it is worth', async () => {
  const id = await completed(100);
  const before = (await balanceOf(ada)) ?? 0;
  await returnsPart(id, '40.00');
  await returned(id, '40.00');
  const [refund] = await refundsOf(id);
  const { movement_ref: movement = '' } = refund ?? {};
  expect(refund).toMatchObject({ state: 'waiting', amount_brl_minor: 4_000 });
  expect(await balanceOf(ada)).toBe(before);
  expect((await opsHere(world.service.app, ['partial-returns'])).out).toContain(movement);
  expect((await opsHere(world.service.app, ['status'])).out).toContain('partial returns to convert');
  expect((await opsHere(world.service.app, ['show', id])).out).toContain(movement);

  const calls = await Promise.all([converts(id, movement), converts(id, movement)]);
  expect(calls.map(({ code }) => code).filter((code) => code === 0).length).toBeGreaterThanOrEqual(1);
  const [converted] = await until(
    () => refundsOf(id),
    ([row]) => row?.state === 'converted',
  );
  expect(await balanceOf(ada)).toBe(before + Number(converted?.home_credit_minor));
  expect(await movementsOf(ada, 'BRL')).toEqual([
    'CREDIT INTERNAL_TRANSFER 100.00',
    'DEBIT PAYOUT 100.00',
    'CREDIT PAYOUT_REFUND 40.00',
    'DEBIT INTERNAL_TRANSFER 40.00',
  ]);
  expect(await converts(id, movement)).toMatchObject({
    code: 0,
    out: expect.stringContaining('has been converted already') as string,
  });
  expect(await movementsOf(ada, 'BRL')).toHaveLength(4);
});

test('parts are recorded once, and a lost callback is made up for by the reconciliation', async () => {
  const id = await completed(100);
  await returnsPart(id, '10.00', 'lost');
  await returnsPart(id, '20.00', 'lost');
  await reconcile(world.service.app);
  await returned(id, '30.00');
  await reconcile(world.service.app);
  expect(
    (await refundsOf(id)).map((row) => row.amount_brl_minor).toSorted((one, other) => one - other),
  ).toEqual([1_000, 2_000]);
});

test('a part that comes back while the provider’s clock is behind is recorded when an operator follows the payout', async () => {
  const id = await completed(100);
  await stepProviderClockBack(world.sandboxUrl, 60_000, 30_000);
  await returnsPart(id, '25.00');
  const [found] = await until(
    () => discrepanciesOf(id),
    ({ length }) => length > 0,
  );
  expect(found).toMatchObject({
    kind: 'clock_stepped_back',
    event: 'off-ramp.completed',
    state: 'completed',
  });
  expect(await refundsOf(id)).toEqual([]);
  const [payout] = await payoutsOf(world, id);
  const follow = ['discrepancies', 'follow', payout?.uuid ?? '', '--reason', 'the clock was put back'];
  expect((await opsHere(world.service.app, follow)).code).toBe(0);
  await returned(id, '25.00');
  expect(await refundsOf(id)).toMatchObject([{ state: 'waiting', amount_brl_minor: 2_500 }]);
});

test('a conversion of a part that delivers another amount than quoted is a discrepancy', async () => {
  for (const fault of ['misreported', 'wrongDelivery'] as const) {
    const id = await completed(100);
    await returnsPart(id, '20.00');
    await returned(id, '20.00');
    const [refund] = await refundsOf(id);
    const details = { destination_amount: '0.01' };
    await orderFault(world.sandboxUrl, { operation: 'createInternalTransfer', fault, details });
    expect((await converts(id, refund?.movement_ref ?? '')).code).toBe(0);
    const [converted] = await until(
      () => refundsOf(id),
      ([row]) => row?.state === 'converted',
    );
    expect(converted?.home_credit_minor).toBe(1);
    expect(await discrepanciesOf(refund?.id ?? '')).toMatchObject([
      { kind: 'delivery_differs', event: 'partial.completed', state: 'converting', resolved_at: null },
    ]);
  }
});

test('a conversion that fails lets the operator convert the part again', async () => {
  const id = await completed(100);
  const before = (await balanceOf(ada)) ?? 0;
  await returnsPart(id, '21.21');
  await returned(id, '21.21');
  const movement = (await refundsOf(id))[0]?.movement_ref ?? '';
  for (const attempt of [1, 2]) {
    expect((await converts(id, movement)).code).toBe(0);
    await until(
      () => refundsOf(id),
      ([row]) => row?.state === 'waiting' && row.attempt === attempt,
    );
  }
  expect(await balanceOf(ada)).toBe(before);
});

test('a part whose rest came back later is settled with its payment', async () => {
  const id = await completed(100);
  await returnsPart(id, '10.00');
  await returned(id, '10.00');
  const movement = (await refundsOf(id))[0]?.movement_ref ?? '';
  await returnsPart(id, '90.00');
  await reaches(ada, id, 'manual_review');
  expect((await converts(id, movement)).out).toContain('settled with the payment');
  expect(await refundsOf(id)).toMatchObject([{ state: 'returned_whole' }]);
});

test.each([
  ['is as much as the payout', 100_00, undefined],
  ['is a movement of another user', 10_00, 'stranger'],
])('a part that %s is a discrepancy, and nothing is recorded', async (_, amountMinor, owner) => {
  const id = await completed(100);
  const movement = crypto.randomUUID();
  if (owner) {
    const bob = await verified(world);
    await byTable(db())
      .insertInto('provider_object_users')
      .values({ provider_ref: movement, kind: 'movement', user_id: bob.userId })
      .execute();
  }
  const refunds = [
    {
      movement_uuid: movement,
      amount: (amountMinor / 100).toFixed(2),
      created_at: '2026-11-21T12:00:00.000Z',
    },
  ];
  const changed = { refunds, updated_at: new Date(Date.now() + 60_000).toISOString() };
  const lie = proxy.lie({
    operation: 'getPayout',
    about: handleFor(id, 'payout'),
    change: (payout) => ({ ...payout, ...changed }),
  });
  await byTable(db())
    .updateTable('provider_resources')
    .set({ next_poll_at: new Date() })
    .where('handle', '=', handleFor(id, 'payout'))
    .execute();
  const [found] = await until(
    () => discrepanciesOf(id),
    ({ length }) => length > 0,
  );
  lie.heal();
  expect(found).toMatchObject({ kind: 'not_as_ordered', event: 'off-ramp.returned' });
  expect(await refundsOf(id)).toEqual([]);
  expect((await paymentOf(id)).returnedAmountBrl).toBeNull();
});

test('an account with a part that was not converted is not closed if money must not be left', async () => {
  const id = await completed(100);
  await returnsPart(id, '10.00');
  await returned(id, '10.00');
  const closed = await call(world, 'DELETE', '/me?unlessMoneyIsLeft=true', { token: ada.token });
  expect(closed.status).toBe(409);
});
