// Two operators record what was settled outside for a payment in manual_review. The state stays, no money moves, and the user sees it.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { byTable } from '../support/by-table.ts';
import { balanceOf, must, type Person, pay, quote, reaches, verified } from '../support/person.ts';
import { movementsOf } from '../support/upstream.ts';
import { startWorld, type World } from '../support/world.ts';
import { auditOf, OPERATOR, opsHere } from './support.ts';

vi.setConfig({ testTimeout: 30_000, hookTimeout: 60_000 });

let world: World;
let ada: Person;
beforeAll(async () => {
  world = await startWorld();
  ada = await verified(world, { deposit: '1000.00' });
});
afterAll(() => world.stop());

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
  for (const name of ['olga', ' Olga', 'OLGA'])
    expect((await settle(id, name)).out).toMatch(/Another operator confirms it/);
  expect((await paymentOf(id)).settlement).toBeNull();
});

test('a proposal is confirmed only with the same figures, and its own operator can replace it', async () => {
  const { id } = await inReview();
  await settle(id, 'olga', { amount: '1.30' });
  for (const other of [{}, { amount: '1.30', currency: 'BRL' }, { amount: '1.30', reference: 'other' }]) {
    const refused = await settle(id, 'otto', other);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.err).toMatch(/olga proposed GBP 1\.30, FPS 4711/);
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
