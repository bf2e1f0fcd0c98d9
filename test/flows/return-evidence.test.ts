// The evidence that a failed payout was credited back, before an operator returns its money. Movements may name their payout by our
// handle, by the provider's uuid, or not at all. Two operators decide what the movements leave open.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { handleFor } from '../../src/domain/handles.ts';
import type { Movement } from '../../src/provider/port.ts';
import { auditOf, OPERATOR, opsHere } from '../ops/support.ts';
import { byTable } from '../support/by-table.ts';
import { letTimePass, outboxEmpties } from '../support/outbox.ts';
import { balanceOf, type Person, pay, quote, reaches, verified } from '../support/person.ts';
import { clearFaults, orderFault } from '../support/provider-faults.ts';
import { until } from '../support/until.ts';
import { accountRefOf } from '../support/upstream.ts';
import { useWorld } from '../support/use-world.ts';

vi.setConfig({ testTimeout: 30_000, hookTimeout: 60_000 });

const DAY = 24 * 60 * 60_000;

let ada: Person;
const { world, provider, db } = useWorld({ sandbox: { references: 'nothing' } });
beforeEach(async () => {
  ada = await verified(world, { deposit: '1000.00' });
});
afterEach(async () => {
  await resumeReturns();
  await clearFaults(world.sandboxUrl);
});

const rowOf = (id: string) =>
  byTable(db()).selectFrom('pix_payments').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** A payment whose payout failed. */
async function failed(amountBrl: number, key = 'fail'): Promise<string> {
  const id = await pay(ada, await quote(ada, amountBrl), {
    pixKey: `${key}@pix.example`,
    pixKeyType: 'email',
  });
  await reaches(ada, id, 'payout_failed');
  await outboxEmpties(world);
  return id;
}

/** A payment that reached its merchant. */
async function completed(amountBrl: number): Promise<void> {
  await reaches(ada, await pay(ada, await quote(ada, amountBrl)), 'completed');
}

const call = (...words: string[]) => opsHere(world.service.app, words);
const returnLater = (id: string, ...more: string[]) =>
  world.clock.later(DAY + 60_000, () => call('payments', 'return', id, '--reason', 'dead key', ...more));

/** Returns the payment. @returns the command's complaint, and by how much the restored money differs from the exact debit. */
async function returned(id: string, ...more: string[]): Promise<{ err: string; differsBy: number }> {
  const before = (await balanceOf(ada)) ?? 0;
  const { err } = await returnLater(id, ...more);
  if (err !== '') return { err, differsBy: Number.NaN };
  await reaches(ada, id, 'refunded');
  const restored = ((await balanceOf(ada)) ?? 0) - before;
  return { err, differsBy: restored - Number((await rowOf(id)).home_debit_minor) };
}
const EXACTLY = { err: '', differsBy: 0 };

/** The account's movements of payouts, oldest first. */
async function payoutMovements(): Promise<Movement[]> {
  const accountRef = await accountRefOf(world, ada.userId, 'BRL');
  const { items } = await provider.listMovements(accountRef, { after: null, limit: 500 });
  return items.filter(({ purpose }) => purpose === 'payout' || purpose === 'payout_refund');
}
const creditsOf = async () => (await payoutMovements()).filter(({ direction }) => direction === 'credit');

/** From now on the provider lists other movements than it has. */
const listed = (change: (movements: Movement[]) => Movement[]) =>
  (world.service.app.provider = {
    ...provider,
    listMovements: async (...parameters) => {
      const page = await provider.listMovements(...parameters);
      return { ...page, items: change(page.items) };
    },
  });
const without = (movement: Movement | undefined) => (movements: Movement[]) =>
  movements.filter(({ providerRef }) => providerRef !== movement?.providerRef);
const naming = (movement: Movement | undefined, sourceReference: string | null) => (movements: Movement[]) =>
  movements.map((one) => (one.providerRef === movement?.providerRef ? { ...one, sourceReference } : one));

test.each(['handle', 'uuid', 'nothing', 'mixed'])(
  'a failed payout is returned if its movements name it by: %s',
  async (references) => {
    await orderFault(world.sandboxUrl, {
      operation: 'createPayout',
      fault: 'otherReferences',
      details: { references },
    });
    const id = await failed(30);
    expect(await returned(id)).toEqual(EXACTLY);
    const [credit] = await creditsOf();
    expect((await rowOf(id)).return_credit_ref).toBe(credit?.providerRef);
  },
);

test('a payment of the same amount that is paid later does not stop a return', async () => {
  const id = await failed(31);
  await completed(31);
  expect(await returned(id)).toEqual(EXACTLY);
});

test('a credit that the provider books as PAYOUT counts', async () => {
  const id = await failed(32);
  listed((movements) =>
    movements.map((one) => (one.purpose === 'payout_refund' ? { ...one, purpose: 'payout' } : one)),
  );
  expect(await returned(id)).toEqual(EXACTLY);
});

test('two failed payouts of which no movement shows the credited one are not returned until both are credited', async () => {
  const [first, second] = [await failed(33), await failed(33)];
  const [missing, credit] = await creditsOf();
  listed(without(missing));
  for (const id of [first, second]) {
    const { code, err } = await returnLater(id);
    expect(code).toBe(1);
    expect(err).toMatch(/no movement of the BRL account shows that the payout was credited back/);
    expect(err).toMatch(/2 payouts have this amount, of which 0 are pending or completed/);
    for (const { providerRef, direction, createdAt } of without(missing)(await payoutMovements()))
      expect(err).toContain(`${providerRef} ${direction} BRL 33.00 ${createdAt.toISOString()}`);
    expect(err).toContain(`${credit?.providerRef} credit`);
  }
  world.service.app.provider = provider;
  expect(await returned(first)).toEqual(EXACTLY);
  expect(await returned(second)).toEqual(EXACTLY);
  expect((await rowOf(first)).return_credit_ref).not.toBe((await rowOf(second)).return_credit_ref);
});

test('of two failed payouts the one is returned that the only credit names', async () => {
  const [first, second] = [await failed(34), await failed(34)];
  const [missing, credit] = await creditsOf();
  listed((movements) =>
    naming(credit, handleFor(second, 'payout').toUpperCase())(without(missing)(movements)),
  );
  expect((await returnLater(first)).err).toMatch(/no movement of the BRL account shows/);
  expect(await returned(second)).toEqual(EXACTLY);
});

test('money that moves while the provider is asked stops the return', async () => {
  const id = await failed(35);
  let isAsked = false;
  world.service.app.provider = {
    ...provider,
    findPayout: async (handle) => {
      if (handle !== handleFor(id, 'payout')) isAsked = true;
      return provider.findPayout(handle);
    },
    listMovements: async (accountRef, window) => {
      const page = await provider.listMovements(accountRef, { ...window, after: null });
      const isLater = page.items.length - 1;
      return window.after === null ? { ...page, refs: page.refs.slice(0, isLater) } : page;
    },
  };
  await completed(35);
  expect((await returnLater(id)).err).toMatch(/moved meanwhile, so try again/);
  expect(isAsked).toBe(true);
});

test('a payout that the provider no longer finds stops the return of another one of its amount', async () => {
  const id = await failed(36);
  const gone = await failed(36);
  world.service.app.provider = {
    ...provider,
    findPayout: async (handle) =>
      handle === handleFor(gone, 'payout') ? null : await provider.findPayout(handle),
  };
  expect((await returnLater(id)).err).toContain(`no longer finds the payout of the payment ${gone}`);
});

test.each([
  ['a debit that names it', [['debit', 'handle']]],
  ['a debit that names nothing', [['debit', null]]],
  [
    'a debit and a credit that name it',
    [
      ['debit', 'handle'],
      ['credit', 'handle'],
    ],
  ],
] as const)('an absent payout is not returned if the BRL account shows %s', async (_what, extra) => {
  const id = await failed(37, 'reject');
  listed((movements) => [...movements, ...extra.map(([direction, name]) => made(id, 37, direction, name))]);
  const { code, err } = await returnLater(id);
  expect(code).toBe(1);
  expect(err).toMatch(/debit BRL 37\.00/);
  expect((await rowOf(id)).state).toBe('payout_failed');
  world.service.app.provider = provider;
  expect(await returned(id)).toEqual(EXACTLY);
});

/** A movement that the provider does not have. */
const made = (
  id: string,
  amountBrl: number,
  direction: Movement['direction'],
  name: 'handle' | null,
): Movement => ({
  kind: 'movement',
  providerRef: randomUUID(),
  accountRef: randomUUID(),
  direction,
  purpose: direction === 'debit' ? 'payout' : 'payout_refund',
  amountMinor: amountBrl * 100,
  currency: 'BRL',
  sourceReference: name === null ? null : handleFor(id, 'payout'),
  createdAt: new Date(),
});

test('a movement of the payout with another amount stops the return', async () => {
  const id = await failed(38);
  listed((movements) => [...movements, made(id, 1, 'debit', 'handle')]);
  expect((await returnLater(id)).err).toMatch(/a movement of the payout has another amount/);
});

test('a movement that cannot be read stops a return that no name decides', async () => {
  const id = await failed(39);
  world.service.app.provider = {
    ...provider,
    listMovements: async (...parameters) => {
      const page = await provider.listMovements(...parameters);
      const unreadable = { providerRef: randomUUID(), position: null, index: 0, why: 'amount' };
      return { ...page, unreadable: [unreadable] };
    },
  };
  expect((await returnLater(id)).err).toMatch(/a movement of the account is unreadable/);
});

test('two operators decide which payout a credit belongs to, and no other return uses it', async () => {
  const [first, second] = [await failed(40), await failed(40)];
  const [missing, credit] = await creditsOf();
  const ref = credit?.providerRef ?? '';
  listed(without(missing));

  const proposed = await returnLater(first, '--credited-by', ref.toUpperCase());
  expect(proposed).toMatchObject({ code: 0, err: '' });
  expect(proposed.out).toMatch(/proposed: .* credited the payout. Another operator begins the return/);
  expect((await rowOf(first)).state).toBe('payout_failed');
  expect((await call('show', first)).out).toMatch(new RegExp(`credited by +${ref}, proposed by ${OPERATOR}`));
  // The same operator cannot confirm it, and the movements still decide nothing.
  expect((await returnLater(first, '--credited-by', ref, '--operator', OPERATOR)).out).toMatch(/proposed/);
  expect((await returnLater(first, '--operator', 'otto')).err).toMatch(
    /no movement of the BRL account shows/,
  );

  expect(await returned(first, '--credited-by', ref, '--operator', 'otto')).toEqual(EXACTLY);
  expect(await rowOf(first)).toMatchObject({
    return_credit_ref: ref,
    return_credit_proposed_by: OPERATOR,
    return_credit_confirmed_by: 'otto',
  });
  expect(await auditOf(world, first)).toMatchObject([
    { action: 'operator.payments return', details: { reason: `proposed the credit ${ref}: dead key` } },
    { details: { reason: `proposed the credit ${ref}: dead key` } },
    { details: { operator: 'otto', reason: `confirmed the credit ${ref}: dead key` } },
  ]);
  expect((await returnLater(second, '--credited-by', ref)).err).toMatch(/was used for another return/);
  expect((await returnLater(second)).err).toMatch(/no movement of the BRL account shows/);
  world.service.app.provider = provider;
  expect(await returned(second)).toEqual(EXACTLY);
});

test('concurrent confirmations of one credit for two payments begin one return', async () => {
  const ids = [await failed(51), await failed(51)];
  const [missing, credit] = await creditsOf();
  const by = (operator: string, id: string) =>
    returnLater(id, '--credited-by', credit?.providerRef ?? '', '--operator', operator);
  listed(without(missing));
  await pauseReturns();
  for (const id of ids) expect((await by('olga', id)).code).toBe(0);
  const codes = await Promise.all(ids.map((id) => by('otto', id).then(({ code }) => code)));
  expect(codes.toSorted((one, other) => one - other)).toEqual([0, 1]);
  const states = await Promise.all(ids.map((id) => rowOf(id).then(({ state }) => state)));
  expect(states.toSorted()).toEqual(['payout_failed', 'refunding']);
});

test('another operator confirms the proposed credit or none', async () => {
  const id = await failed(41);
  const again = await failed(41);
  await failed(41);
  const [missing, credit, third] = await creditsOf();
  listed(without(missing));
  await returnLater(id, '--credited-by', credit?.providerRef ?? '');
  const other = await returnLater(id, '--credited-by', third?.providerRef ?? '', '--operator', 'otto');
  expect(other.err).toContain(`${OPERATOR} proposed the credit ${credit?.providerRef}`);
  expect((await rowOf(id)).state).toBe('payout_failed');
  expect((await rowOf(again)).return_credit_ref).toBeNull();
});

test('a movement that cannot be the credit is refused', async () => {
  const id = await failed(42);
  const other = await failed(43);
  const [debit, credit, , otherCredit] = await payoutMovements();
  const names = (reference: string) => listed(naming(credit, reference));
  const by = (ref = '') => returnLater(id, '--credited-by', ref);
  expect(await by('a movement')).toMatchObject({ code: 2 });
  expect((await by(randomUUID())).err).toMatch(/has no credit/);
  expect((await by(debit?.providerRef)).err).toMatch(/has no credit/);
  expect((await by(otherCredit?.providerRef)).err).toMatch(/has no credit/);
  names(handleFor(other, 'payout'));
  expect((await by(credit?.providerRef)).err).toMatch(/names another payout/);
  names(randomUUID());
  expect((await by(credit?.providerRef)).err).toMatch(/names another payout/);
  listed((movements) => movements.toReversed());
  expect((await by(credit?.providerRef)).err).toMatch(/not later than the debit/);
  expect(
    (await call('payments', 'return', id, '--reason', 'x', '--credited-by', credit?.providerRef ?? '')).err,
  ).toMatch(/failed a short time ago/);
  expect(await rowOf(id)).toMatchObject({ state: 'payout_failed', return_credit_ref: null });
});

const pauseReturns = () => call('effects', 'pause', 'startConversion', '--reason', 'a test');
const resumeReturns = () => call('effects', 'resume', 'startConversion', '--reason', 'a test');
const waitsFor = (id: string, text: RegExp) =>
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

test('the effect checks the credit that operators named again before it sends', async () => {
  const [first] = [await failed(44), await failed(44)];
  const [missing, credit] = await creditsOf();
  const ref = credit?.providerRef ?? '';
  listed(without(missing));
  await pauseReturns();
  for (const operator of ['olga', 'otto'])
    await returnLater(first, '--credited-by', ref, '--operator', operator);
  expect((await rowOf(first)).state).toBe('refunding');
  listed(without(credit));
  await resumeReturns();
  await waitsFor(first, /has no credit/);
  expect(await provider.findTransfer(handleFor(first, 'conversion-return'))).toBeNull();
  listed(without(missing));
  await letTimePass(world, 60_000);
  await reaches(ada, first, 'refunded');
});

/** Opens a discrepancy of the payment, or of the user's BRL account. */
async function discrepancy(kind: string, subjectKind: string, subjectId: string, handle: string) {
  const id = randomUUID();
  await sql`
    insert into discrepancies (id, user_id, subject_kind, subject_id, handle, kind, fingerprint, provider_ref, event,
      event_data, state, snapshot_updated_at, cause_kind, cause_id, occurred_at)
    values (${id}, ${ada.userId}, ${subjectKind}, ${subjectId}, ${handle}, ${kind}, ${id}, null, 'test', '{}', 'active',
      now(), 'job', 'test', now())`.execute(db());
  return () => sql`delete from discrepancies where id = ${id}`.execute(db());
}

async function brlAccountId(): Promise<string> {
  const { id } = await byTable(db())
    .selectFrom('provider_accounts')
    .select('id')
    .where('user_id', '=', ada.userId)
    .where('currency', '=', 'BRL')
    .executeTakeFirstOrThrow();
  return id;
}

test('a discrepancy of the BRL account stops a return', async () => {
  const id = await failed(45);
  const handle = handleFor(ada.userId, 'account-BRL');
  const end = await discrepancy('not_ordered', 'provider_account', await brlAccountId(), handle);
  expect((await returnLater(id)).err).toMatch(/a discrepancy is open/);
  await end();
  expect(await returned(id)).toEqual(EXACTLY);
});

test('a discrepancy that appears after the command stops the effect of the return', async () => {
  const id = await failed(46);
  await pauseReturns();
  expect((await returnLater(id)).code).toBe(0);
  const handle = handleFor(ada.userId, 'account-BRL');
  const end = await discrepancy('not_ordered', 'provider_account', await brlAccountId(), handle);
  await resumeReturns();
  await waitsFor(id, /a discrepancy is open/);
  expect(await provider.findTransfer(handleFor(id, 'conversion-return'))).toBeNull();
  await end();
  await letTimePass(world, 60_000);
  await reaches(ada, id, 'refunded');
});

test('a return that took more BRL than its payment has is a discrepancy', async () => {
  const [id] = [await failed(47), await failed(48)];
  await orderFault(world.sandboxUrl, {
    operation: 'createInternalTransfer',
    fault: 'wrongDebit',
    about: handleFor(id, 'conversion-return'),
    details: { source_amount: '49.00' },
  });
  await returnLater(id);
  await reaches(ada, id, 'refunded');
  const found = await byTable(db())
    .selectFrom('discrepancies')
    .selectAll()
    .where('subject_id', '=', id)
    .execute();
  expect(found).toMatchObject([{ kind: 'debit_differs', event: 'return.completed' }]);
});

test.each([
  // 20 centavos are more than 2 % of the price.
  [1, 1_667],
  [10, 200],
  [50, 200],
  [400, 200],
])('BRL %i are returned with the default cap, which is %i basis points', async (amountBrl, capBps) => {
  const id = await failed(amountBrl);
  expect(await returned(id)).toEqual(EXACTLY);
  expect((await rowOf(id)).return_cap_bps).toBe(capBps);
});
