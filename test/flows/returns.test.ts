// An operator returns the money of a failed payout: the BRL is converted back to the exact home debit, once, and only while it is
// certain that the payout's BRL is in the user's account.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { handleFor } from '../../src/domain/handles.ts';
import { reconcile } from '../../src/jobs/reconcile-by-hand.ts';
import { advance, lockRow } from '../../src/lifecycle/advance.ts';
import { pixPayment } from '../../src/lifecycle/pix-payment.ts';
import { MAX_ATTEMPTS } from '../../src/outbox/backoff.ts';
import { transaction } from '../../src/outbox/hand-off.ts';
import { OutcomeUnknown, ProviderRefusal, type RefusalCode } from '../../src/provider/errors.ts';
import type { Provider } from '../../src/provider/port.ts';
import { recordDiscrepancy } from '../../src/reports/discrepancies.ts';
import { twin } from '../../src/reports/twins.ts';
import { auditOf, opsHere } from '../ops/support.ts';
import { byTable } from '../support/by-table.ts';
import { letTimePass, outboxEmpties } from '../support/outbox.ts';
import { balanceOf, must, type Person, pay, quote, reaches, refusalIn, verified } from '../support/person.ts';
import { clearFaults, makeTwin, misreport } from '../support/provider-faults.ts';
import { until } from '../support/until.ts';
import { movementsOf, payoutsOf } from '../support/upstream.ts';
import { useWorld } from '../support/use-world.ts';

vi.setConfig({ testTimeout: 30_000, hookTimeout: 60_000 });

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;

let ada: Person;
const { world, provider, db } = useWorld();
beforeEach(async () => {
  ada = await verified(world, { deposit: '1000.00' });
});
afterEach(async () => {
  await clearFaults(world.sandboxUrl);
});

const rowOf = (id: string) =>
  byTable(db()).selectFrom('pix_payments').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const paymentOf = async (id: string) =>
  must(await ada.api.GET('/pix/payments/{id}', { params: { path: { id } } }));
const transactionOf = async (id: string) =>
  must(await ada.api.GET('/transactions/{id}', { params: { path: { id } } }));
const discrepanciesOf = (id: string) =>
  byTable(db()).selectFrom('discrepancies').selectAll().where('subject_id', '=', id).execute();

/** A payment whose payout failed. */
async function failed(amountBrl: number, pixKey = 'unknown@pix.example') {
  const quoted = await quote(ada, amountBrl);
  const id = await pay(ada, quoted, { pixKey, pixKeyType: 'email' });
  const payment = await reaches(ada, id, 'payout_failed');
  await outboxEmpties(world);
  return { id, payment, debitMinor: quoted.sourceAmount };
}

const returnNow = (id: string, ...more: string[]) =>
  opsHere(world.service.app, ['payments', 'return', id, '--reason', 'the key is dead', ...more]);
/** Calls the command more than a day after the failure. */
const returnLater = (id: string, ...more: string[]) =>
  world.clock.later(DAY + HOUR, () => returnNow(id, ...more));

/** Calls the command, which must succeed. */
const returns = async (id: string, ...more: string[]) =>
  expect(await returnLater(id, ...more)).toMatchObject({ code: 0, err: '' });

test('a payment to a dead key is returned to the exact debit, and the user sees what happens to the money', async () => {
  const before = (await balanceOf(ada)) ?? 0;
  const { id, payment, debitMinor } = await failed(100);
  expect(payment.failureCode).toBe('recipient_unknown');
  expect(payment.failureReason).toMatch(/leads to no account/);
  expect(await balanceOf(ada)).toBe(before - debitMinor);
  expect((await transactionOf(payment.transactionId)).heldAmount).toBe(debitMinor);

  await returns(id);
  await reaches(ada, id, 'refunded');
  expect(await balanceOf(ada)).toBe(before);
  expect(await paymentOf(id)).toMatchObject({ failureCode: 'refunded', settlement: null });
  expect(await transactionOf(payment.transactionId)).toMatchObject({ status: 'failed', heldAmount: null });
  expect(await rowOf(id)).toMatchObject({
    home_debit_minor: debitMinor,
    brl_residual_minor: 0,
    usdc_residual_minor: null,
    return_cap_bps: 200,
  });
  expect(await movementsOf(ada, 'BRL')).toEqual([
    'CREDIT INTERNAL_TRANSFER 100.00',
    'DEBIT PAYOUT 100.00',
    'CREDIT PAYOUT_REFUND 100.00',
    'DEBIT INTERNAL_TRANSFER 100.00',
  ]);
  expect(await auditOf(world, id)).toMatchObject([
    { action: 'operator.payments return', details: { reason: 'the key is dead' } },
  ]);

  expect(await returnLater(id)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/been returned already/),
  });
  const retried = await ada.api.POST('/pix/payments/{id}/retry', { params: { path: { id } } });
  expect(refusalIn(retried)).toEqual([409, 'not_retryable']);
});

test('a payment whose payout the provider never accepted is returned', async () => {
  const before = await balanceOf(ada);
  const { id } = await failed(101, 'reject@pix.example');
  expect((await rowOf(id)).payout_attempt).toBe(0);
  await returns(id);
  await reaches(ada, id, 'refunded');
  expect(await balanceOf(ada)).toBe(before);
});

test('a payment of a former version, which did not record its debit, is returned by what its conversion debited', async () => {
  const before = await balanceOf(ada);
  const { id, debitMinor } = await failed(102, 'fail@pix.example');
  await byTable(db())
    .updateTable('pix_payments')
    .set({ home_debit_minor: null })
    .where('id', '=', id)
    .execute();
  await returns(id);
  await reaches(ada, id, 'refunded');
  expect(await balanceOf(ada)).toBe(before);
  expect((await rowOf(id)).home_debit_minor).toBe(debitMinor);
});

test('a payment is not returned in the first 24 hours after its payout failed', async () => {
  const { id } = await failed(103);
  expect(await returnNow(id)).toMatchObject({
    code: 1,
    err: expect.stringContaining('failed a short time ago') as string,
  });
  expect((await world.clock.later(DAY - HOUR, () => returnNow(id))).code).toBe(1);
  expect((await rowOf(id)).state).toBe('payout_failed');
});

test('the 24 hours before a return pass by the database’s clock, whatever the clock of the operator’s machine', async () => {
  const { id } = await failed(20);
  const { code, err } = await world.clock.ahead(2 * DAY, () => returnNow(id));
  expect([code, err]).toEqual([1, expect.stringContaining('failed a short time ago')]);
});

test('the 24 hours before a return pass by the database’s clock, whatever the clock of the process that recorded the failure', async () => {
  const { id } = await world.clock.ahead(-2 * DAY, () => failed(20));
  const { code, err } = await returnNow(id);
  expect([code, err]).toEqual([1, expect.stringContaining('failed a short time ago')]);
  await returns(id);
});

test('a return that costs more than the cap changes nothing and prints the shortfall, and a higher cap allows it', async () => {
  const before = await balanceOf(ada);
  const { id } = await failed(104);
  const short = await returnLater(id, '--subsidy-cap-bps', '50');
  expect(short.code).toBe(1);
  expect(short.err).toMatch(
    /costs BRL 105\.\d\d, which is BRL 1\.\d\d \(\d{2,3} bps\) more than the payment holds/,
  );
  expect((await rowOf(id)).seq).toBe(await lastSeqOf(id));
  expect(await rowOf(id)).toMatchObject({ state: 'payout_failed', return_cap_bps: null });
  expect(await quotesOf(id)).toEqual([]);
  expect(await auditOf(world, id)).toEqual([]);

  expect((await returnLater(id, '--subsidy-cap-bps', '150')).code).toBe(0);
  await reaches(ada, id, 'refunded');
  expect(await balanceOf(ada)).toBe(before);
  expect(await auditOf(world, id)).toMatchObject([
    { action: 'operator.payments return --subsidy-cap-bps 150' },
  ]);
});

const lastSeqOf = async (id: string) =>
  (
    await byTable(db())
      .selectFrom('transitions')
      .select('seq')
      .where('subject_id', '=', id)
      .orderBy('seq', 'desc')
      .executeTakeFirstOrThrow()
  ).seq;
const quotesOf = (id: string) =>
  byTable(db()).selectFrom('conversion_quotes').selectAll().where('payment_id', '=', id).execute();

test('a cap that is not a whole number is refused', async () => {
  const { id } = await failed(105);
  for (const cap of ['-1', '1.5', '10001', 'much'])
    expect(await returnNow(id, `--subsidy-cap-bps=${cap}`)).toMatchObject({ code: 2 });
});

test('a conversion back that fails leads to manual_review', async () => {
  const { id } = await failed(21.21);
  await returns(id);
  const payment = await reaches(ada, id, 'manual_review');
  expect(payment.failureCode).toBe('under_review');
});

test('a conversion back that the provider rejects leads to manual_review', async () => {
  const { id } = await failed(23.23);
  await returns(id);
  expect((await reaches(ada, id, 'manual_review')).failureCode).toBe('under_review');
});

test.each([1, 3])(
  '%i concurrent calls begin one return, and a concurrent retry excludes it',
  async (calls) => {
    const before = await balanceOf(ada);
    const { id } = await failed(106);
    const [retried, ...returned] = await world.clock.later(DAY + HOUR, () =>
      Promise.all([
        ada.api.POST('/pix/payments/{id}/retry', { params: { path: { id } } }),
        ...Array.from({ length: calls }, () => returnNow(id)),
      ]),
    );
    const begun = returned.filter(({ out }) => out.includes('converted back')).length;
    expect(begun + (retried.response.status === 200 ? 1 : 0)).toBeGreaterThanOrEqual(1);
    const { state } = await until(
      () => rowOf(id),
      (row) => row['state'] === 'refunded' || row['state'] === 'payout_failed',
    );
    const transfers = (await movementsOf(ada, 'BRL')).filter((one) => one.startsWith('DEBIT INTERNAL'));
    const happened = [begun, retried.response.status, transfers.length, state];
    expect(happened).toEqual(begun > 0 ? [1, 409, 1, 'refunded'] : [0, 200, 0, 'payout_failed']);
    expect((await balanceOf(ada)) === before).toBe(begun > 0);
  },
);

test('a payout that the provider now reports as completed is not returned, and its payment is completed', async () => {
  const { id } = await failed(107, 'fail@pix.example');
  const [payout] = await payoutsOf(world, id);
  await misreport(world.sandboxUrl, payout?.uuid ?? '', { status: 'COMPLETED', updated_at: later(1) });
  expect((await returnLater(id)).err).toMatch(/the payout is completed at the provider/);
  await reaches(ada, id, 'completed');
  expect((await movementsOf(ada, 'BRL')).at(-1)).toBe('CREDIT PAYOUT_REFUND 107.00');
});

const later = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

test('a payout that completes while its money is returned leads to manual_review', async () => {
  const { id } = await failed(22.22, 'fail@pix.example');
  await returns(id);
  await until(
    () => provider.findTransfer(handleFor(id, 'conversion-return')),
    (transfer) => transfer !== null,
  );
  const [payout] = await payoutsOf(world, id);
  await misreport(world.sandboxUrl, payout?.uuid ?? '', {
    status: 'COMPLETED',
    updated_at: later(1),
    end_to_end_id: 'E1234567820260302120031aB3dE5fG7',
  });
  await reconcile(world.service.app);
  expect(await paymentOf(id)).toMatchObject({
    status: 'manual_review',
    failureCode: 'under_review',
    endToEndId: 'E1234567820260302120031aB3dE5fG7',
  });
});

test('a payout that completes before the conversion back is sent stops it', async () => {
  const { id } = await failed(108, 'fail@pix.example');
  await pauseReturns();
  await returns(id);
  const [payout] = await payoutsOf(world, id);
  await misreport(world.sandboxUrl, payout?.uuid ?? '', { status: 'COMPLETED', updated_at: later(1) });
  await resumeReturns();
  await reaches(ada, id, 'manual_review');
  expect(await provider.findTransfer(handleFor(id, 'conversion-return'))).toBeNull();
});

const pauseReturns = () =>
  opsHere(world.service.app, ['effects', 'pause', 'startConversion', '--reason', 'a test']);
const resumeReturns = () =>
  opsHere(world.service.app, ['effects', 'resume', 'startConversion', '--reason', 'a test']);

test('a payout that completes after its money was returned is a discrepancy, and the payment stays refunded', async () => {
  const { id } = await failed(109, 'fail@pix.example');
  await returnLater(id);
  await reaches(ada, id, 'refunded');
  const [payout] = await payoutsOf(world, id);
  await misreport(world.sandboxUrl, payout?.uuid ?? '', { status: 'COMPLETED', updated_at: later(1) });
  const resource = await byTable(db())
    .selectFrom('provider_resources')
    .selectAll()
    .where('handle', '=', handleFor(id, 'payout'))
    .executeTakeFirstOrThrow();
  expect(resource.provider_ref).toBe(payout?.uuid);
  await byTable(db())
    .updateTable('provider_resources')
    .set({ next_poll_at: sql<Date>`now()` })
    .where('handle', '=', resource.handle)
    .execute();
  const [found] = await until(
    () => discrepanciesOf(id),
    ({ length }) => length > 0,
  );
  expect(found).toMatchObject({ kind: 'contradicted_state', event: 'off-ramp.completed', state: 'refunded' });
  expect((await paymentOf(id)).status).toBe('refunded');
});

test('a payment with a twin of its payout is not returned', async () => {
  const { id } = await failed(110);
  const [payout] = await payoutsOf(world, id);
  await makeTwin(world.sandboxUrl, payout?.uuid ?? '');
  expect((await returnLater(id)).err).toMatch(/several payouts|discrepancy/);
  expect((await returnLater(id)).err).toMatch(/several payouts|discrepancy/);
  expect((await rowOf(id)).state).toBe('payout_failed');
});

test('a payment with an open discrepancy is not returned', async () => {
  const { id } = await failed(111);
  const { handle } = await byTable(db())
    .selectFrom('provider_resources')
    .select('handle')
    .where('handle', '=', handleFor(id, 'payout'))
    .executeTakeFirstOrThrow();
  await sql`
    insert into discrepancies (id, user_id, subject_kind, subject_id, handle, kind, fingerprint, provider_ref, event,
      event_data, state, snapshot_updated_at, cause_kind, cause_id, occurred_at)
    values (gen_random_uuid(), ${ada.userId}, 'pix_payment', ${id}, ${handle}, 'vanished', 'a', null, 'vanished', '{}',
      'payout_failed', now(), 'job', 'test', now())`.execute(db());
  expect((await returnLater(id)).err).toMatch(/a discrepancy is open/);
});

test('a payment is not returned while the outcome of a request is unknown', async () => {
  const { id } = await failed(112);
  await byTable(db())
    .updateTable('effects')
    .set({ last_unknown_at: sql<Date>`now()` })
    .where('subject_id', '=', id)
    .execute();
  expect((await returnLater(id)).err).toMatch(/the outcome of the effect .* is not known yet/);
});

const without = (movements: Awaited<ReturnType<Provider['listMovements']>>) => ({
  ...movements,
  items: movements.items.filter(({ purpose }) => purpose !== 'payout_refund'),
});

test('a payment is not returned if no movement shows that the payout was credited back', async () => {
  const { id } = await failed(113);
  world.service.app.provider = {
    ...provider,
    listMovements: async (...parameters) => without(await provider.listMovements(...parameters)),
  };
  expect((await returnLater(id)).err).toMatch(/no movement of the BRL account shows/);
});

test('movements without the handle of their payout are compared by their amount', async () => {
  const before = await balanceOf(ada);
  const { id } = await failed(114);
  world.service.app.provider = {
    ...provider,
    listMovements: async (...parameters) => {
      const page = await provider.listMovements(...parameters);
      return { ...page, items: page.items.map((one) => ({ ...one, sourceReference: null })) };
    },
  };
  await returns(id);
  await reaches(ada, id, 'refunded');
  expect(await balanceOf(ada)).toBe(before);
});

test('an unanswered request is repeated with the same quote, and returns the money once', async () => {
  const before = await balanceOf(ada);
  const { id } = await failed(115);
  const used: string[] = [];
  world.service.app.provider = {
    ...provider,
    createTransfer: async (transfer) => {
      if (transfer.handle !== handleFor(id, 'conversion-return')) return provider.createTransfer(transfer);
      used.push(transfer.quoteRef);
      if (used.length === 1) throw new OutcomeUnknown('createTransfer', 'no answer');
      return provider.createTransfer(transfer);
    },
  };
  await returns(id);
  await reaches(ada, id, 'refunded');
  expect(used).toHaveLength(2);
  expect(new Set(used).size).toBe(1);
  expect(await balanceOf(ada)).toBe(before);
});

test('a return takes a fresh quote only after a look-up shows that its first one expired unused, and waits while it costs too much', async () => {
  const before = await balanceOf(ada);
  const { id } = await failed(116);
  let isLost = true;
  let lookUps = 0;
  world.service.app.provider = {
    ...provider,
    createTransfer: async (transfer) => {
      if (isLost && transfer.handle === handleFor(id, 'conversion-return'))
        throw new OutcomeUnknown('createTransfer', 'no answer');
      return provider.createTransfer(transfer);
    },
    createQuote: async (wanted) => {
      lookUps += 1;
      const isCapped = 'subsidy' in wanted && wanted.subsidy !== undefined && wanted.subsidy.capBps < 300;
      if (isCapped && lookUps > 1) throw new ProviderRefusal('rejected', 'createQuote');
      return provider.createQuote(wanted);
    },
  };
  await returns(id);
  await lastErrorOf(id, /no answer/);
  expect(await quotesOf(id)).toHaveLength(1);
  // The quote is over, and the unanswered request could still be in flight.
  await letTimePass(world, 70_000);
  await lastErrorOf(id, /its quote has expired/);
  expect(lookUps).toBe(1);

  isLost = false;
  await letTimePass(world, 100_000);
  await lastErrorOf(id, /no price is within the cap/);
  expect((await rowOf(id)).state).toBe('refunding');
  expect((await opsHere(world.service.app, ['effects'])).out).toMatch(/no price is within the cap/);

  expect((await returnNow(id)).out).toMatch(/being returned already/);
  expect((await returnNow(id, '--subsidy-cap-bps', '300')).code).toBe(0);
  await letTimePass(world, 0);
  await reaches(ada, id, 'refunded');
  expect(await balanceOf(ada)).toBe(before);
  expect((await rowOf(id)).return_cap_bps).toBe(300);
});

test('a return whose quote expired before anything was sent takes a fresh one without waiting', async () => {
  const before = await balanceOf(ada);
  const { id } = await failed(117);
  await pauseReturns();
  await returns(id);
  const [first] = await quotesOf(id);
  await letTimePass(world, 70_000);
  await resumeReturns();
  await reaches(ada, id, 'refunded');
  expect(await balanceOf(ada)).toBe(before);
  expect((await quotesOf(id)).some((one) => one.provider_quote_id !== first?.provider_quote_id)).toBe(true);
});

/** Forgets a return that has ended, as a backup does that was made before it. */
async function forgetReturn(id: string): Promise<void> {
  const forgotten = await db()
    .transaction()
    .execute(async (tx) => {
      await sql`delete from transitions where subject_id = ${id} and event like 'return.%'`.execute(tx);
      const payment = await sql`
      update pix_payments set state = 'payout_failed', seq = seq - 2, return_cap_bps = null, brl_residual_minor = null,
        failure = 'recipient_unknown' where id = ${id}`.execute(tx);
      await sql`delete from conversion_quotes where payment_id = ${id}`.execute(tx);
      await sql`delete from provider_resources where subject_id = ${id} and leg = 'return'`.execute(tx);
      await sql`delete from effects where subject_id = ${id} and params ->> 'leg' = 'return'`.execute(tx);
      return payment;
    });
  expect(forgotten.numAffectedRows).toBe(1n);
}

test('a return that a restored backup has forgotten is begun again by the reconciliation, and moves nothing twice', async () => {
  const before = await balanceOf(ada);
  const { id } = await failed(118);
  await returns(id);
  await reaches(ada, id, 'refunded');
  const movements = await movementsOf(ada, 'BRL');
  await forgetReturn(id);
  expect((await reconcile(world.service.app)).counts).toMatchObject({ 'payments corrected': 1 });
  await reaches(ada, id, 'refunded');
  expect(await balanceOf(ada)).toBe(before);
  expect(await movementsOf(ada, 'BRL')).toEqual(movements);
});

test('a return that a restored backup has forgotten waits until an operator has chosen between twins', async () => {
  const { id } = await failed(117);
  await returns(id);
  await reaches(ada, id, 'refunded');
  await forgetReturn(id);
  const payout = await provider.findPayout(handleFor(id, 'payout'));
  if (!payout) throw new Error('no payout');
  const other = twin({ ...payout, providerRef: randomUUID() }, 'payout_failed');
  const resource = {
    userId: ada.userId,
    subjectKind: 'pix_payment',
    subjectId: id,
    handle: payout.handle,
  } as const;
  await recordDiscrepancy(db(), resource, other, { kind: 'job', id: 'a test' }, new Date());
  expect((await reconcile(world.service.app)).counts).not.toHaveProperty('payments corrected');
  await reaches(ada, id, 'payout_failed');
  await sql`update discrepancies set resolved_at = now(), resolution = 'chosen' where subject_id = ${id}`.execute(
    db(),
  );
  expect((await reconcile(world.service.app)).counts).toMatchObject({ 'payments corrected': 1 });
  await reaches(ada, id, 'refunded');
});

/** While `story` runs, something happens whenever the return of a payment has been looked up. */
async function afterLookUp<Result>(
  id: string,
  happen: () => Promise<unknown>,
  story: () => Promise<Result>,
): Promise<Result> {
  const findTransfer: Provider['findTransfer'] = async (handle) => {
    const transfer = await provider.findTransfer(handle);
    if (handle === handleFor(id, 'conversion-return')) await happen();
    return transfer;
  };
  world.service.app.provider = { ...provider, findTransfer };
  try {
    return await story();
  } finally {
    world.service.app.provider = provider;
  }
}

test('a return that begins while the reconciliation looks it up is not begun again or counted', async () => {
  const { app } = world.service;
  const { id, debitMinor } = await failed(119);
  await returns(id);
  await reaches(ada, id, 'refunded');
  const movements = await movementsOf(ada, 'BRL');
  await forgetReturn(id);
  let isBegun = false;
  const begin = async () => {
    if (isBegun) return;
    isBegun = true;
    await transaction(app, async (tx) => {
      const row = await lockRow(tx, pixPayment, { id, userId: ada.userId });
      const event = { type: 'return.requested', homeDebitMinor: debitMinor, capBps: 0 } as const;
      return row && advance(tx, pixPayment, row, event, { kind: 'operator', id: 'otto' }, new Date());
    });
  };
  const { counts } = await afterLookUp(id, begin, () => reconcile(app));
  expect(isBegun).toBe(true);
  expect(counts).not.toHaveProperty('payments corrected');
  await reaches(ada, id, 'refunded');
  expect(await movementsOf(ada, 'BRL')).toEqual(movements);
});

test('a return that a restored backup has forgotten is begun again although its user retried meanwhile', async () => {
  const { id } = await failed(121, 'fail@pix.example');
  await returns(id);
  await reaches(ada, id, 'refunded');
  const movements = await movementsOf(ada, 'BRL');
  await forgetReturn(id);
  let isRetried = false;
  const retry = async () => {
    if (isRetried) return;
    isRetried = true;
    must(await ada.api.POST('/pix/payments/{id}/retry', { params: { path: { id } } }));
    await reaches(ada, id, 'payout_failed');
  };
  const { counts } = await afterLookUp(id, retry, () => reconcile(world.service.app));
  expect(counts).toMatchObject({ 'payments corrected': 1 });
  await reaches(ada, id, 'refunded');
  expect(await movementsOf(ada, 'BRL')).toEqual(movements);
});

/** A return that waits, because a second payout of another payment has taken some of its BRL. */
async function shortOfBrl(amountBrl: number) {
  const other = await pay(ada, await quote(ada, 50));
  await reaches(ada, other, 'completed');
  const { id } = await failed(amountBrl);
  await pauseReturns();
  await returns(id);
  const [payout] = await payoutsOf(world, other);
  await makeTwin(world.sandboxUrl, payout?.uuid ?? '');
  await resumeReturns();
  await lastErrorOf(id, /holds less than the payment/);
  return id;
}

const stop = (id: string) =>
  opsHere(world.service.app, ['payments', 'stop-return', id, '--reason', 'their twin took it']);

test('a return whose BRL another payout took can be stopped, and support settles the payment', async () => {
  const id = await shortOfBrl(119);
  const before = await movementsOf(ada, 'BRL');
  expect(await stop(id)).toMatchObject({ code: 0, err: '' });
  // Its quote is committed, so a request with it could still be in flight.
  await letTimePass(world, 5 * 60_000);
  expect((await reaches(ada, id, 'manual_review')).failureCode).toBe('under_review');
  expect(await movementsOf(ada, 'BRL')).toEqual(before);
  expect(await provider.findTransfer(handleFor(id, 'conversion-return'))).toBeNull();
  expect(await auditOf(world, id)).toMatchObject([
    { action: 'operator.payments return' },
    { action: 'operator.payments stop-return', details: { reason: 'their twin took it' } },
  ]);
  expect((await stop(id)).err).toMatch(/only a return in refunding/);
});

test('a stopped return whose request the provider received late is refunded', async () => {
  const before = await balanceOf(ada);
  const { id } = await failed(120);
  let late: (() => Promise<unknown>) | undefined;
  world.service.app.provider = {
    ...provider,
    createTransfer: (transfer) => {
      late = () => provider.createTransfer(transfer);
      throw new OutcomeUnknown('createTransfer', 'no answer');
    },
  };
  await returns(id);
  await lastErrorOf(id, /no answer/);
  await until(
    () => stop(id),
    ({ code }) => code === 0,
  );
  await letTimePass(world, 0);
  await lastErrorOf(id, /stopped by an operator/);
  await late?.();
  await letTimePass(world, 5 * 60_000);
  await reaches(ada, id, 'refunded');
  expect(await balanceOf(ada)).toBe(before);
});

test.each<RefusalCode>(['quote_expired', 'quote_consumed', 'rejected', 'insufficient_funds'])(
  'the quote of an unanswered return survives the refusal %s, and stopping the return waits for its end',
  async (refusal) => {
    const before = await balanceOf(ada);
    const { id } = await failed(124, 'fail@pix.example');
    const used: string[] = [];
    let late: (() => Promise<unknown>) | undefined;
    world.service.app.provider = {
      ...provider,
      createTransfer: async (transfer) => {
        used.push(transfer.quoteRef);
        late ??= () => provider.createTransfer(transfer);
        if (used.length === 1) throw new OutcomeUnknown('createTransfer', 'no answer');
        throw new ProviderRefusal(refusal, 'createTransfer');
      },
    };
    await returns(id);
    await lastErrorOf(id, new RegExp(`${refusal}|in flight|quote was consumed`));
    expect(await quotesOf(id)).toMatchObject([{ provider_quote_id: used[0], is_consumed: true }]);
    await until(
      () => stop(id),
      ({ code }) => code === 0,
    );
    await letTimePass(world, 0);
    await lastErrorOf(id, /stopped by an operator/);
    expect((await rowOf(id)).state).toBe('refunding');
    expect(new Set(used).size).toBe(1);
    // The provider executes the first request after all.
    await late?.();
    await letTimePass(world, 5 * 60_000);
    await reaches(ada, id, 'refunded');
    expect(await balanceOf(ada)).toBe(before);
  },
);

test('a fresh quote of a return whose only request was answered is forgotten', async () => {
  const { id } = await failed(125);
  const used: string[] = [];
  world.service.app.provider = {
    ...provider,
    createTransfer: async (transfer) => {
      used.push(transfer.quoteRef);
      if (used.length <= 2) throw new ProviderRefusal('quote_expired', 'createTransfer');
      return provider.createTransfer(transfer);
    },
  };
  await returns(id);
  await reaches(ada, id, 'refunded');
  expect(new Set(used).size).toBe(3);
  expect(await quotesOf(id)).toMatchObject([{ provider_quote_id: used[2] }]);
});

test('a return that was given up after its last attempt can be stopped', async () => {
  const id = await shortOfBrl(123);
  const exhausted = { status: 'exhausted', attempts: MAX_ATTEMPTS, due_at: null } as const;
  await byTable(db())
    .updateTable('effects')
    .set(exhausted)
    .where('subject_id', '=', id)
    .where('status', '=', 'queued')
    .execute();
  expect((await stop(id)).code).toBe(0);
  await lastErrorOf(id, /stopped by an operator/);
  await letTimePass(world, 5 * 60_000);
  await reaches(ada, id, 'manual_review');
});

test('a return that a worker is running is not stopped', async () => {
  const id = await shortOfBrl(121);
  const lease = (leasedBy: string | null) =>
    byTable(db()).updateTable('effects').set({ leased_by: leasedBy }).where('subject_id', '=', id).execute();
  await lease(randomUUID());
  expect((await stop(id)).err).toMatch(/a worker is running the return/i);
  await lease(null);
  expect((await stop(id)).code).toBe(0);
  await letTimePass(world, 5 * 60_000);
  await reaches(ada, id, 'manual_review');
});

test('a payment that is not being returned cannot be stopped', async () => {
  const { id } = await failed(122);
  expect((await stop(id)).err).toMatch(/payout_failed: only a return/);
  expect((await stop('0198c0de-0000-7000-8000-000000000000')).err).toMatch(/no PIX payment/);
});

const lastErrorOf = (id: string, text: RegExp) =>
  until(
    () =>
      byTable(db())
        .selectFrom('effects')
        .select('last_error')
        .where('subject_id', '=', id)
        .where('status', '=', 'queued')
        .execute(),
    (effects) => effects.some(({ last_error: error }) => text.test(error ?? '')),
  );
