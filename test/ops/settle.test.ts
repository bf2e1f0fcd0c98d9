// Two operators record what was settled outside for a payment in manual_review. The state stays, no money moves, and the user sees it.
import { sql, type Updateable } from 'kysely';
import { expect, test, vi } from 'vitest';
import { handleFor } from '../../src/domain/handles.ts';
import type { TransferSnapshot } from '../../src/provider/port.ts';
import { applyReported } from '../../src/reports/apply-reported.ts';
import type { Tables } from '../../src/tables/entities.ts';
import { byTable } from '../support/by-table.ts';
import { outboxEmpties } from '../support/outbox.ts';
import { balanceOf, must, pay, quote, reaches } from '../support/person.ts';
import { until } from '../support/until.ts';
import { movementsOf } from '../support/upstream.ts';
import { useWorld } from '../support/use-world.ts';
import { auditOf, OPERATOR, opsHere } from './support.ts';

vi.setConfig({ testTimeout: 30_000, hookTimeout: 60_000 });

const { world, ada } = useWorld({ deposit: '1000.00' });

const rowOf = (id: string) =>
  byTable(world.service.app.db)
    .selectFrom('pix_payments')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
const paymentOf = async (id: string) =>
  must(await ada.api.GET('/pix/payments/{id}', { params: { path: { id } } }));
const heldOf = async ({ transactionId: id }: { transactionId: string }) =>
  must(await ada.api.GET('/transactions/{id}', { params: { path: { id } } })).heldAmount;

type Figures = { amount?: string; currency?: string; reference?: string };
const settle = (id: string, operator: string, figures: Figures = {}) => {
  const { amount = '1.20', currency = 'GBP', reference = 'FPS 4711' } = figures;
  return opsHere(world.service.app, [
    'payments',
    'settle',
    id,
    '--amount',
    amount,
    '--currency',
    currency,
    '--reference',
    reference,
    '--reason',
    'ticket 4712',
    '--operator',
    operator,
  ]);
};

/** A payment that received less than it needed, and ended in manual_review. */
async function inReview() {
  const quoted = await quote(ada, 8.88);
  const id = await pay(ada, quoted);
  return { id, debitMinor: quoted.sourceAmount, payment: await reaches(ada, id, 'manual_review') };
}

test('a settlement is proposed by one operator and confirmed by another one, and the user sees it', async () => {
  const { id, debitMinor, payment } = await inReview();
  const before = await balanceOf(ada);
  const moved = await movementsOf(ada, 'BRL');
  expect(await heldOf(payment)).toBe(debitMinor);

  const proposed = await settle(id, OPERATOR);
  expect(proposed).toMatchObject({ code: 0, err: '' });
  expect(proposed.out).toMatch(/proposed: GBP 1\.20, FPS 4711\. Another operator confirms it/);
  expect((await paymentOf(id)).settlement).toBeNull();
  expect(await heldOf(payment)).toBe(debitMinor);

  expect((await settle(id, 'otto')).out).toMatch(/settled: GBP 1\.20, FPS 4711/);
  expect(await paymentOf(id)).toMatchObject({
    status: 'manual_review',
    settlement: { amount: 120, currency: 'GBP', at: expect.stringMatching(/Z$/) as string },
  });
  expect(await heldOf(payment)).toBeNull();
  expect(await rowOf(id)).toMatchObject({
    settlement_proposed_by: OPERATOR,
    settlement_confirmed_by: 'otto',
    settlement_reference: 'FPS 4711',
  });
  expect(await auditOf(world, id)).toMatchObject([
    {
      action: 'operator.payments settle',
      details: { operator: OPERATOR, reason: 'proposed GBP 1.20, reference FPS 4711: ticket 4712' },
    },
    {
      action: 'operator.payments settle',
      details: { operator: 'otto', reason: expect.stringMatching(/^confirmed/) as string },
    },
  ]);
  expect(await balanceOf(ada)).toBe(before);
  expect(await movementsOf(ada, 'BRL')).toEqual(moved);

  expect((await settle(id, 'oda', { amount: '5.00' })).out).toMatch(/settled before/);
  expect((await rowOf(id)).settlement_amount_minor).toBe(120);
});

test('a settled payment needs no further attention', async () => {
  const { id } = await inReview();
  await settle(id, 'olga');
  await settle(id, 'otto');
  const { seq, acknowledged_seq: acknowledged } = await rowOf(id);
  expect(acknowledged).toBe(seq);
  const shown = await opsHere(world.service.app, ['show', id]);
  expect(shown).toMatchObject({ code: 0, err: '' });
  expect(shown.out).toMatch(/settled .*GBP 1\.20, FPS 4711, by olga and otto/);
});

test('one operator cannot settle a payment alone, however the name is written', async () => {
  const { id } = await inReview();
  expect((await settle(id, 'olga')).out).toMatch(/Another operator confirms it/);
  expect((await settle(id, 'olga')).out).toMatch(/Another operator confirms it/);
  for (const name of [' olga', 'OLGA', 'ol\u200bga', '\u043elga'])
    expect((await settle(id, name)).err).toMatch(/cannot be an operator's name/);
  expect((await paymentOf(id)).settlement).toBeNull();
});

test('a proposal under a name that former versions took is proposed again, because it may be the same operator', async () => {
  const { id } = await inReview();
  await settle(id, 'olga');
  await byTable(world.service.app.db)
    .updateTable('pix_payments')
    .set({ settlement_proposed_by: 'Olga' })
    .where('id', '=', id)
    .execute();
  expect((await settle(id, 'olga')).out).toMatch(/Another operator confirms it/);
  expect((await paymentOf(id)).settlement).toBeNull();
});

test('a proposal is confirmed only with the same figures, and its own operator can replace it', async () => {
  const { id } = await inReview();
  await settle(id, 'olga', { amount: '1.25' });
  for (const other of [{}, { amount: '1.25', currency: 'BRL' }, { amount: '1.25', reference: 'other' }]) {
    const refused = await settle(id, 'otto', other);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.err).toMatch(/olga proposed GBP 1\.25, FPS 4711/);
  }
  await settle(id, 'olga');
  expect((await settle(id, 'otto')).out).toMatch(/settled/);
  expect((await paymentOf(id)).settlement?.amount).toBe(120);
});

test.each([
  [{ amount: '0.00' }, 2, /--amount takes a positive amount/],
  [{ amount: '1.2' }, 2, /--amount takes a positive amount/],
  [{ amount: '-1.20' }, 2, /--amount/],
  [{ currency: 'USDC' }, 2, /none of GBP, EUR, BRL/],
  [{ reference: ' ' }, 2, /--reference must not be empty/],
  [{ currency: 'EUR' }, 1, /settled in GBP or BRL/],
  [
    { amount: '99999.00' },
    1,
    /GBP 99999\.00 is more than the payment holds, which is GBP 1\.\d\d or BRL 8\.88/,
  ],
  [{ amount: '8.89', currency: 'BRL' }, 1, /BRL 8\.89 is more than the payment holds/],
] as const)('a settlement with %j is refused', async (figures, code, why) => {
  const { id } = await inReview();
  const refused = await settle(id, 'olga', figures);
  expect(refused.err).toMatch(why);
  expect(refused.code).toBe(code);
  expect((await rowOf(id)).settlement_amount_minor).toBeNull();
});

test('only a payment in manual_review is settled', async () => {
  const id = await pay(ada, await quote(ada, 10));
  await reaches(ada, id, 'completed');
  expect((await settle(id, 'olga')).err).toMatch(/The payment is completed: only manual_review is settled/);
  const nothing = '019ab5e2-7c1f-7d3a-9c55-0a1b2c3d4e5f';
  expect((await settle(nothing, 'olga')).err).toMatch(/There is no PIX payment/);
});

const max = (minor: number) => ({ amount: (minor / 100).toFixed(2) });

test('a payment is settled with at most its exact debit, or its amount in reais', async () => {
  const { id, debitMinor } = await inReview();
  expect((await settle(id, 'olga', max(debitMinor + 1))).err).toMatch(/more than the payment holds/);
  expect((await settle(id, 'olga', { ...max(888), currency: 'BRL' })).code).toBe(0);
  expect((await settle(id, 'olga', max(debitMinor))).code).toBe(0);
  // The debit of such a payment is not known. It is at most what was quoted.
  await setPayment(id, { home_debit_minor: null });
  expect((await settle(id, 'olga', max(debitMinor + 1))).err).toMatch(/more than the payment holds/);
  expect((await settle(id, 'olga', max(debitMinor))).code).toBe(0);
});

const setPayment = (id: string, columns: Updateable<Tables['pix_payments']>) =>
  byTable(world.service.app.db).updateTable('pix_payments').set(columns).where('id', '=', id).execute();

test('a proposal above the debit, which an earlier version accepted, is not confirmed', async () => {
  const { id } = await inReview();
  await settle(id, 'olga');
  await setPayment(id, { settlement_amount_minor: 9_999_900 });
  expect((await settle(id, 'otto', { amount: '99999.00' })).err).toMatch(/more than the payment holds/);
  expect((await paymentOf(id)).settlement).toBeNull();
});

test.each([
  [
    'the outcome of a request is unknown',
    /the outcome of the effect .* is not known yet/,
    (id: string) => sql`update effects set last_unknown_at = now() where subject_id = ${id}`,
    (id: string) => sql`update effects set last_unknown_at = null where subject_id = ${id}`,
  ],
  [
    'a request with a quote may be in flight',
    /the outcome of the effect .* is not known yet/,
    (id: string) =>
      sql`update effects set last_unknown_at = now() - interval '6 minutes' where subject_id = ${id}`,
    (id: string) =>
      sql`update effects set last_unknown_at = now() - interval '7 minutes' where subject_id = ${id}`,
  ],
  [
    'the payment has an open discrepancy',
    /a discrepancy is open/,
    (id: string) =>
      discrepancy(id, 'pix_payment', { kind: 'contradicted_state', event: 'off-ramp.completed' }),
    (id: string) => sql`update discrepancies set resolved_at = now() where subject_id = ${id}`,
  ],
  [
    'the BRL account has an open discrepancy',
    /a discrepancy is open/,
    () => discrepancy(brlAccount(), 'provider_account', { kind: 'not_ordered', event: 'not_ordered' }),
    () => sql`update discrepancies set resolved_at = now() where subject_id = ${brlAccount()}`,
  ],
  [
    'the payout of the payment is pending',
    /the payout is pending at the provider/,
    (id: string) => sql`
      insert into provider_resources (handle, kind, user_id, subject_kind, subject_id, snapshot_status, created_at)
      values (${handleFor(id, 'payout')}, 'payout', ${ada.userId}, 'pix_payment', ${id}, 'pending', now())
      on conflict (handle, user_id) do update set snapshot_status = 'pending'`,
    (id: string) =>
      sql`update provider_resources set snapshot_status = 'failed' where handle = ${handleFor(id, 'payout')}`,
  ],
] as const)('a settlement is neither proposed nor confirmed while %s', async (_what, why, begin, end) => {
  const { db } = world.service.app;
  const { id } = await inReview();
  await begin(id).execute(db);
  expect(await settle(id, 'olga')).toMatchObject({ code: 1, err: expect.stringMatching(why) as string });
  await end(id).execute(db);
  expect((await settle(id, 'olga')).code).toBe(0);
  await begin(id).execute(db);
  expect(await settle(id, 'otto')).toMatchObject({ code: 1, err: expect.stringMatching(why) as string });
  expect((await paymentOf(id)).settlement).toBeNull();
  await end(id).execute(db);
  expect((await settle(id, 'otto')).out).toMatch(/It is settled/);
});

const brlAccount = () =>
  sql`(select id from provider_accounts where user_id = ${ada.userId} and currency = 'BRL')`;

const discrepancy = (
  subjectId: unknown,
  subjectKind: string,
  { kind, event, data = {} }: { kind: string; event: string; data?: object },
) => sql`
  insert into discrepancies (id, user_id, subject_kind, subject_id, handle, kind, fingerprint, provider_ref, event,
    event_data, state, snapshot_updated_at, cause_kind, cause_id, occurred_at)
  values (gen_random_uuid(), ${ada.userId}, ${subjectKind}::subject_kind, ${subjectId}, gen_random_uuid(),
    ${kind}::discrepancy_kind, 'a', null, ${event}, ${JSON.stringify(data)}::jsonb, 'manual_review', now(), 'job', 'test', now())`;

test('a payment whose return is pending is not settled, and holds nothing once the return has completed', async () => {
  const { app } = world.service;
  const real = app.provider;
  const quoted = await quote(ada, 30);
  const id = await pay(ada, quoted, { pixKey: 'fail@pix.example', pixKeyType: 'email' });
  const payment = await reaches(ada, id, 'payout_failed');
  await outboxEmpties(world);
  const handle = handleFor(id, 'conversion-return');
  const pending = <One extends TransferSnapshot | null>(transfer: One): One =>
    transfer?.handle === handle
      ? { ...transfer, status: 'pending', updatedAt: new Date(transfer.updatedAt.getTime() - 1) }
      : transfer;
  app.provider = {
    ...real,
    createTransfer: async (transfer) => pending(await real.createTransfer(transfer)),
    getTransfer: async (ref) => pending(await real.getTransfer(ref)),
    findTransfer: async (under) => pending(await real.findTransfer(under)),
  };
  const args = ['payments', 'return', id, '--subsidy-cap-bps', '200', '--reason', 'a dead key'];
  expect(await world.clock.later(25 * 60 * 60_000, () => opsHere(app, args))).toMatchObject({ code: 0 });
  await until(
    () =>
      byTable(app.db)
        .selectFrom('provider_resources')
        .select('snapshot_status')
        .where('handle', '=', handle)
        .executeTakeFirst(),
    (resource) => resource?.snapshot_status === 'pending',
  );
  const payout = await real.findPayout(handleFor(id, 'payout'));
  if (!payout) throw new Error('no payout');
  const cause = { kind: 'job', id: 'late' } as const;
  const updatedAt = new Date(payout.updatedAt.getTime() + 60_000);
  expect(await applyReported(app, { ...payout, status: 'completed', updatedAt }, cause)).toBe('applied');
  expect((await paymentOf(id)).status).toBe('manual_review');

  expect((await settle(id, 'olga')).err).toMatch(/the return is pending at the provider/);
  expect(await heldOf(payment)).toBe(quoted.sourceAmount);

  app.provider = real;
  const returned = await until(
    () => real.findTransfer(handle),
    (transfer) => transfer?.status === 'completed',
  );
  expect(await applyReported(app, returned as TransferSnapshot, cause)).toBe('refused');
  expect(await heldOf(payment)).toBeNull();
  expect((await settle(id, 'olga')).err).toMatch(/a discrepancy is open/);
  const { id: found } = await byTable(app.db)
    .selectFrom('discrepancies')
    .select('id')
    .where('subject_id', '=', id)
    .executeTakeFirstOrThrow();
  const resolve = ['discrepancies', 'resolve', found, '--reason', 'the return came late'];
  expect((await opsHere(app, resolve)).code).toBe(0);
  expect(await heldOf(payment)).toBeNull();
  expect((await settle(id, 'olga')).err).toMatch(/back in the user's account, so nothing is left to settle/);
  expect((await paymentOf(id)).settlement).toBeNull();
});

test('a payment of which a part is back holds the rest, and is settled with at most the rest in the home currency', async () => {
  const { id, debitMinor, payment } = await inReview();
  const { db } = world.service.app;
  const data = { sourceAmountMinor: 700, destinationAmountMinor: debitMinor - 20 };
  await discrepancy(id, 'pix_payment', {
    kind: 'contradicted_state',
    event: 'return.completed',
    data,
  }).execute(db);
  await sql`update discrepancies set resolved_at = now() where subject_id = ${id}`.execute(db);
  expect(await heldOf(payment)).toBe(20);
  expect((await settle(id, 'olga', { amount: '0.21' })).err).toMatch(/holds, which is GBP 0\.20\./);
  expect((await settle(id, 'olga', { amount: '0.10', currency: 'BRL' })).err).toMatch(/at most GBP 0\.20/);
  expect((await settle(id, 'olga', { amount: '0.20' })).code).toBe(0);
});
