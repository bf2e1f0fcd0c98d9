// `advance` is the only writer of states: what it refuses to save, which times it writes, and what the database refuses from
// any other writer.

import { beforeAll, expect, test } from 'vitest';
import { setup } from 'xstate';
import { states } from '../../machines/states.ts';
import { newId } from '../../src/domain/ids.ts';
import { advance, lockRow } from '../../src/lifecycle/advance.ts';
import { pixPayment } from '../../src/lifecycle/pix-payment.ts';
import { withdraw } from '../../src/lifecycle/withdraw.ts';
import { createOutbox, transaction } from '../../src/outbox/hand-off.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { byTable } from '../support/by-table.ts';
import { pay, quote, reaches } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';

const cause = { kind: 'job', id: 'test' } as const;
let paymentId: string;

const { world, ada, db } = useWorld({ deposit: '500.00' });
beforeAll(async () => {
  paymentId = await pay(ada, await quote(ada, 10));
  await reaches(ada, paymentId, 'completed');
});

const rowOf = () =>
  byTable(db()).selectFrom('pix_payments').selectAll().where('id', '=', paymentId).executeTakeFirstOrThrow();
const writtenOf = async () => ({
  row: await rowOf(),
  transitions: await byTable(db())
    .selectFrom('transitions')
    .select('seq')
    .where('subject_id', '=', paymentId)
    .execute(),
  effects: await byTable(db())
    .selectFrom('effects')
    .select('id')
    .where('subject_id', '=', paymentId)
    .execute(),
});

test('a transition that breaks a rule of its state saves nothing, and the error names the rule', async () => {
  const before = await writtenOf();
  const advanced = transaction({ db: db(), outbox: createOutbox() }, async (tx) => {
    const row = await lockRow(tx, pixPayment, { id: paymentId, userId: ada.userId });
    if (row === null) throw new Error('no row');
    // The row is as a defect would leave it: the amount to give back is unknown.
    const forgetful = { ...row, state: 'converting.leg2', flow: 'two_hop', payoutAttempt: 0 } as const;
    const event = { type: 'leg2.failed', reason: 'conversion_failed' } as const;
    return advance(tx, pixPayment, forgetful, event, cause, new Date());
  });
  await expect(advanced).rejects.toThrow(
    'pixPayment in refunding breaks a rule of that state: without a return, leg 1 is reversed and no payout was attempted',
  );
  expect(await writtenOf()).toEqual(before);
});

test('the time at which a state was entered is that of the transition, and of no other change', async () => {
  const { state_entered_at: enteredAt, seq } = await rowOf();
  const { occurred_at: at } = await byTable(db())
    .selectFrom('transitions')
    .select('occurred_at')
    .where('subject_id', '=', paymentId)
    .where('seq', '=', seq)
    .executeTakeFirstOrThrow();
  expect(enteredAt).toEqual(at);
  await byTable(db())
    .updateTable('pix_payments')
    .set({ voucher_id: 'V-2', updated_at: new Date() })
    .where('id', '=', paymentId)
    .execute();
  expect((await rowOf()).state_entered_at).toEqual(enteredAt);
});

test('the time at which a state was entered stays the same through a transition that stays in the state', async () => {
  const { createMachine } = setup({
    types: { context: {} as { failure: null }, events: {} as { type: 'told' } | { type: 'sent' } },
    actions: { note: () => undefined },
  });
  // The machine has every state of a withdrawal, as the row and its lifecycle have them.
  const others = statesRecord(states.withdraw, () => ({}));
  const machine = createMachine({
    context: { failure: null },
    initial: 'settling',
    states: { ...others, settling: { on: { told: { actions: 'note' }, sent: 'completed' } } },
  });
  const staying = {
    ...withdraw,
    machine,
    invariants: statesRecord(states.withdraw, () => []),
    contextOf: () => ({ failure: null }),
    propertiesOf: () => ({}),
    project: async () => undefined,
    emitsNothing: true,
  } as const;
  const begunAt = new Date('2026-11-22T10:00:00.000Z');
  const row = await settlingWithdraw(begunAt);
  const [told, sent] = await transaction({ db: db(), outbox: createOutbox() }, async (tx) => {
    const stayed = await advance(tx, staying, row, { type: 'told' }, cause, minutesAfter(begunAt, 1));
    if (stayed === null) throw new Error('refused');
    return [stayed, await advance(tx, staying, stayed, { type: 'sent' }, cause, minutesAfter(begunAt, 2))];
  });
  expect(told).toMatchObject({ seq: 2, stateEnteredAt: begunAt, updatedAt: minutesAfter(begunAt, 1) });
  expect(sent).toMatchObject({ seq: 3, stateEnteredAt: minutesAfter(begunAt, 2) });
  const kept = await byTable(db())
    .selectFrom('withdraws')
    .select(['state', 'state_entered_at'])
    .where('id', '=', row.id)
    .executeTakeFirstOrThrow();
  expect(kept).toEqual({ state: 'completed', state_entered_at: minutesAfter(begunAt, 2) });
});

const statesRecord = <State extends string, Value>(all: readonly State[], valueOf: () => Value) =>
  Object.fromEntries(all.map((state) => [state, valueOf()])) as Record<State, Value>;

const INVALID_VALUE = '22P02';
const CHECK_VIOLATION = '23514';

test.each([
  ['a payment in no leg', 'pix_payments', `state = 'converting.leg9'`, INVALID_VALUE],
  ['a payment in a state that has children', 'pix_payments', `state = 'converting'`, INVALID_VALUE],
  ['a verification that settles', 'kyc_verifications', `state = 'settling'`, INVALID_VALUE],
  ['an account that is completed', 'provider_accounts', `state = 'completed'`, INVALID_VALUE],
  ['a reason that is not on the list', 'pix_payments', `failure = 'bad luck'`, INVALID_VALUE],
  ['a reason that is not on the list, for users', 'transactions', `failure = 'bad luck'`, INVALID_VALUE],
  ['a history that comes from nowhere', 'transitions', `from_state = 'converting.leg9'`, CHECK_VIOLATION],
  ['a history that leads nowhere', 'transitions', `to_state = 'converting.leg9'`, CHECK_VIOLATION],
  ['a history with the states of another kind', 'transitions', `to_state = 'provisioning'`, CHECK_VIOLATION],
  ['an effect of no kind', 'effects', `type = 'startPayuot'`, INVALID_VALUE],
  ['an effect of no status', 'effects', `status = 'forgotten'`, INVALID_VALUE],
])('the database refuses %s', async (_what, table, assignment, code) => {
  const pool = createPool(world.databaseUrl, 1);
  // A value that its type does not have is refused before any row of a table is read.
  const refused = code === CHECK_VIOLATION ? { code, table } : { code };
  await expect(pool.query(`update ${table} set ${assignment}`)).rejects.toMatchObject(refused);
  await pool.end();
});

const minutesAfter = (at: Date, minutes: number): Date => new Date(at.getTime() + minutes * 60_000);

/** A withdrawal with its user and nothing else. No worker runs it. */
async function settlingWithdraw(at: Date) {
  const id = newId();
  return db()
    .insertInto('Withdraw')
    .values({
      id,
      userId: ada.userId,
      state: 'settling',
      seq: 1,
      stateEnteredAt: at,
      currency: 'GBP',
      amountMinor: 100,
      rail: 'FPS',
      bankDetailsId: newId(),
      bankDetailsVersion: 1,
      destinationSealed: Buffer.alloc(1),
      expectedSettlementSeconds: 7_200,
      createdAt: at,
      updatedAt: at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}
