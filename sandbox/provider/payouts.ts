// Payouts by PIX, FPS or SEPA. They are debited immediately, and credited back unless they arrive.
import { paidInstead } from '../faults/amounts.ts';
import { changedAt, createdAt } from '../faults/changes.ts';
import { shownAll, shownOne } from '../faults/reads.ts';
import { maybeNameOtherwise } from '../faults/references.ts';
import { maybeMakeUnreadable, misreportPayout, reported } from '../faults/reports.ts';
import { recordTwin } from '../faults/twins.ts';
import { isFindable } from '../faults/vanished.ts';
import { payoutOutcome } from '../magic.ts';
import { readAmount, writeAmount } from '../money.ts';
import { enqueueCallback } from '../outbox.ts';
import { cancelPlanned } from '../schedule.ts';
import type { AccountRow, PayoutRow } from '../store/rows.ts';
import { isoTime } from '../time.ts';
import type { World } from '../world.ts';
import { account, assertActive, covers } from './accounts.ts';
import { setCallbackUrl } from './callbacks.ts';
import { contentOf, judgeHandle } from './handles.ts';
import { newUuid } from './new-uuid.ts';
import { type Call, created, idOf, type Operation, ok, type Schemas } from './operation.ts';
import { pageOf, positionOf } from './pages.ts';
import { debitFor, giveBack, payOut, takeMoney } from './payout-money.ts';
import { type PayoutStep, planPayout } from './payout-plan.ts';
import { endToEndId, voucherId } from './pix-receipt.ts';
import { refuse } from './refusal.ts';
import { rowsInWindow } from './windows.ts';

const CURRENCY_OF = { PIX: 'BRL', FPS: 'GBP', SEPA: 'EUR' } as const;
const FIELD_OF = { PIX: 'pix_key', FPS: 'sort_code', SEPA: 'iban' } as const;

export const createPayout: Operation<Schemas['PayoutCreate']> = (world, call) => {
  const { body } = call;
  const content = contentOf(body);
  const { known, twinOf } = judgeHandle(world, call, byHandle(world, body.origin_id)[0], content);
  if (known) return ok(present(world, known));
  const source = account(world, body.source_account_uuid.toLowerCase());
  assertFits(source, body);
  const uuid = newUuid();
  const asked = { uuid, amount: readAmount(body.amount, body.currency, 'amount'), currency: body.currency };
  if (payoutOutcome(body.rail, body.destination, body.amount) === 'rejected')
    throw refuse('rejected', 'the recipient is not known');
  const amount = paidInstead(world, call, asked, (one) => covers(world, source, one));
  const debited = debitFor(world, source, amount, call.twin?.isUnfunded);

  const updatedAt = createdAt(world, call, uuid);
  const row = insert(world, body, content, { uuid, amount, debited, updatedAt });
  misreportPayout(world, call, { ...asked, amount });
  maybeMakeUnreadable(world, call, uuid);
  maybeNameOtherwise(world, call, uuid);
  takeMoney(world, source, row);
  if (twinOf) recordTwin(world, call, uuid, twinOf.uuid, amount - debited);
  const ended = planPayout(world, row, settlePayout);
  return created(present(world, ended ?? row));
};

export const reissuePayout: Operation<Schemas['PayoutReissue']> = (world, call) => {
  const row = payout(world, idOf(call));
  const { origin_id, attempt } = call.body;
  if (origin_id !== row.origin_id) throw refuse('origin_id_conflict', 'origin_id is not that of the payout');
  if (attempt <= row.attempt) return ok(present(world, row));
  if (row.status !== 'FAILED' && row.status !== 'ERROR')
    throw refuse('rejected', 'only a failed payout can be issued again', 409);
  if (attempt > row.attempt + 1) throw refuse('invalid_request', `attempt ${row.attempt + 1} comes first`);
  const source = account(world, row.source_account_uuid);
  assertActive(source);
  const debited = debitFor(world, source, row.amount);

  const issued = world.store.written<PayoutRow>(
    `update payouts set status = 'PENDING', attempt = ?, debited = ?, failure_reason = null, failure_code = null, updated_at = ?
     where uuid = ? returning *`,
    attempt,
    debited,
    changedAt(world, row),
    row.uuid,
  );
  takeMoney(world, source, issued);
  const ended = planPayout(world, issued, settlePayout);
  return ok(present(world, ended ?? issued));
};

export const getPayout: Operation = (world, call) =>
  ok(present(world, shownOne(world, call, payout(world, idOf(call)))));

export const findPayouts: Operation = (world, call) => {
  const { origin_id, after, limit = 100 } = call.query;
  const isShown = (row: PayoutRow) => isFindable(world, row);
  if (origin_id !== undefined) {
    const rows = shownAll(world, call, byHandle(world, origin_id)).filter(isShown);
    return ok({ results: rows.map((row) => present(world, row)), next: null });
  }
  if (call.query.updated_from !== undefined || call.query.updated_to !== undefined) {
    const listed = rowsInWindow<PayoutRow>(world, call, { table: 'payouts', time: 'updated_at' });
    return ok(pageOf(shownAll(world, call, listed), limit, isShown, (row) => present(world, row)));
  }
  const position = positionOf(world, 'select seq from payouts where uuid = ?', after);
  const sql = 'select * from payouts where seq > ? order by seq limit ?';
  const rows = shownAll(world, call, world.store.all<PayoutRow>(sql, position, limit + 1));
  return ok(pageOf(rows, limit, isShown, (row) => present(world, row)));
};

export const updatePayout: Operation<Schemas['CallbackUpdate']> = (world, call) => {
  setCallbackUrl(world, 'payouts', payout(world, idOf(call)), call.body);
  return getPayout(world, call as Call<never>);
};

/**
 * Moves a payout to its next status, if that is allowed, and sends the callback.
 * @returns the payout afterwards.
 */
export function settlePayout(world: World, uuid: string, step: PayoutStep, quietly = false): PayoutRow {
  const row = payout(world, uuid);
  const isLate = step.isLate === true && row.status === 'FAILED';
  if (row.attempt !== step.attempt || !(isLate || mayBecome(row.status, step.status))) return row;
  if (isLate) takeAgain(world, row);
  if (step.status === 'COMPLETED') payOut(world, row);
  else giveBack(world, account(world, row.source_account_uuid), row);
  const stamp = changedAt(world, row);
  const arrived = step.status === 'COMPLETED' && row.rail === 'PIX';
  const settled = world.store.written<PayoutRow>(
    `update payouts set status = ?, end_to_end_id = coalesce(?, end_to_end_id),
       voucher_id = coalesce(?, voucher_id), failure_reason = ?, failure_code = ?, updated_at = ? where uuid = ? returning *`,
    step.status,
    arrived ? endToEndId(stamp, row.seq) : null,
    arrived ? voucherId(uuid) : null,
    isUnknown(row) && step.status === 'FAILED' ? 'the key leads to no account' : REASON[step.status],
    codeOf(row, step.status),
    stamp,
    uuid,
  );
  const to = { resource: 'payouts' as const, uuid, callback_url: row.callback_url };
  if (!quietly) enqueueCallback(world, 'payout.updated', to, present(world, settled), stamp);
  return settled;
}

/** Debits a failed payout that is completed after all. The provider pays it if the account does not cover it any more. */
function takeAgain(world: World, row: PayoutRow): void {
  const source = account(world, row.source_account_uuid);
  const debited = covers(world, source, row.amount) ? row.amount : 0;
  world.store.run('update payouts set debited = ? where uuid = ?', debited, row.uuid);
  takeMoney(world, source, { ...row, debited });
  const { uuid: resourceUuid, origin_id: originId } = row;
  const kind = 'business.completedLate';
  world.faultInjection.injected.add({ kind, resourceUuid, originId, details: { debited } }, world.now());
}

/**
 * Ends a payout as a tester decides, instead of as planned.
 * @throws 409 if its state forbids this, 404 if there is none.
 */
export function endPayout(world: World, uuid: string, status: PayoutStep['status']): Schemas['Payout'] {
  const row = payout(world, uuid);
  if (!mayBecome(row.status, status))
    throw refuse('rejected', `the payout is ${row.status}: ${AFTERWARDS[row.status]}`, 409);
  cancelPlanned(world, uuid);
  return present(world, settlePayout(world, uuid, { attempt: row.attempt, status }));
}

/** The steps that are still possible for a payout, by its status. */
export const AFTERWARDS: Record<PayoutRow['status'], string> = {
  PENDING: 'it can be completed, fail or be returned',
  COMPLETED: 'it can only be returned',
  FAILED: 'only another attempt by the client can change that',
  ERROR: 'only another attempt by the client can change that',
  REFUNDED: 'that is final',
};

const REASON = {
  COMPLETED: null,
  FAILED: 'the recipient bank refused it',
  ERROR: 'the scheme did not answer',
  REFUNDED: 'the recipient bank sent it back',
};

const isUnknown = (row: PayoutRow): boolean => {
  const destination = JSON.parse(row.destination) as Schemas['Destination'];
  return payoutOutcome(row.rail, destination, writeAmount(row.amount, row.currency)) === 'unknownRecipient';
};

function codeOf(row: PayoutRow, status: PayoutStep['status']): string | null {
  if (status !== 'FAILED' && status !== 'ERROR') return null;
  return status === 'FAILED' && isUnknown(row) ? 'recipient_unknown' : 'other';
}

export const mayBecome = (from: PayoutRow['status'], to: PayoutStep['status']) =>
  from === 'PENDING' || (from === 'COMPLETED' && to === 'REFUNDED');

function assertFits(source: AccountRow, body: Schemas['PayoutCreate']): void {
  if (body.currency !== CURRENCY_OF[body.rail] || body.currency !== source.currency)
    throw refuse(
      'invalid_request',
      `${body.rail} pays ${CURRENCY_OF[body.rail]} from an account that holds it`,
    );
  if (!(FIELD_OF[body.rail] in body.destination))
    throw refuse('invalid_request', `the destination is not one of ${body.rail}`);
  assertActive(source);
}

function insert(
  world: World,
  body: Schemas['PayoutCreate'],
  content: string,
  { uuid, amount, debited, updatedAt }: { uuid: string; amount: number; debited: number; updatedAt: number },
): PayoutRow {
  return world.store.written<PayoutRow>(
    `insert into payouts (uuid, origin_id, content, attempt, status, source_account_uuid, amount, debited, currency,
       rail, destination, callback_url, updated_at)
     values (?, ?, ?, 1, 'PENDING', ?, ?, ?, ?, ?, ?, ?, ?) returning *`,
    uuid,
    body.origin_id,
    content,
    body.source_account_uuid.toLowerCase(),
    amount,
    debited,
    body.currency,
    body.rail,
    JSON.stringify(body.destination),
    body.callback_url ?? null,
    updatedAt,
  );
}

/**
 * Returns the payout.
 * @throws 404 if there is none.
 */
export function payout(world: World, uuid: string): PayoutRow {
  const row = world.store.get<PayoutRow>('select * from payouts where uuid = ?', uuid);
  if (!row) throw refuse('not_found', 'no such payout');
  return row;
}

/** Returns the payouts under a handle. The first one is the original; every other one is its twin. */
function byHandle(world: World, handle: string): PayoutRow[] {
  return world.store.all<PayoutRow>('select * from payouts where origin_id = ? order by seq', handle);
}

function present(world: World, row: PayoutRow): Schemas['Payout'] {
  return reported(world, {
    uuid: row.uuid,
    origin_id: row.origin_id,
    attempt: row.attempt,
    status: row.status,
    source_account_uuid: row.source_account_uuid,
    amount: writeAmount(row.amount, row.currency),
    currency: row.currency,
    rail: row.rail,
    destination: JSON.parse(row.destination) as Schemas['Destination'],
    end_to_end_id: row.end_to_end_id,
    voucher_id: row.voucher_id,
    failure_reason: row.failure_reason,
    failure_code: row.failure_code,
    updated_at: isoTime(row.updated_at),
  });
}
