// Payouts: money that leaves by PIX, FPS or SEPA. A payout is debited immediately and paid out at the end. A failed one can be
// issued again.

import type { SandboxContext } from '../context.ts';
import { outside } from '../ledger.ts';
import { type PayoutLimit, payoutFailure, payoutOutcome } from '../magic.ts';
import { readAmount, writeAmount } from '../money.ts';
import { enqueueCallback } from '../outbox.ts';
import { cancelPlanned, schedule } from '../schedule.ts';
import type { AccountRow, PayoutRow } from '../store/rows.ts';
import { isoTime } from '../time.ts';
import { assertActive, covers } from './accounts.ts';
import { chargeToPay } from './br-codes.ts';
import { assertPayable } from './charges.ts';
import type { Operation } from './handler.ts';
import { move } from './movements.ts';
import { newUuid } from './new-uuid.ts';
import { created, idOf, ok, type Schemas } from './operation.ts';
import { giveBack, payOut, takeMoney } from './payout-money.ts';
import { type PayoutStep, payoutSteps } from './payout-plan.ts';
import { endToEndId, voucherId } from './pix-receipt.ts';
import { refuse } from './refusal.ts';
import { change, contentOf, create, existing, listed, repeated, setCallbackUrl } from './resources.ts';

const CURRENCY_OF = { PIX: 'BRL', FPS: 'GBP', SEPA: 'EUR' } as const;
const FIELD_OF = { PIX: 'pix_key', FPS: 'sort_code', SEPA: 'iban' } as const;

export const createPayout: Operation<Schemas['PayoutCreate']> = (context, call) => {
  const { body } = call;
  const content = contentOf(body);
  const earlier = repeated(context, 'payouts', body.origin_id, content);
  if (earlier) return ok(presentPayout(context, earlier));
  const source = existing(context, 'accounts', body.source_account_uuid);
  assertFits(source, body);
  const amount = readAmount(body.amount, body.currency, 'amount');
  if (payoutOutcome(body.rail, body.destination, body.amount) === 'rejected')
    throw refuse('rejected', 'the recipient is not known');
  const charge_uuid = chargeToPay(context, body.br_code_uuid, amount);
  const row = create(
    context,
    'payouts',
    {
      uuid: newUuid(),
      origin_id: body.origin_id,
      content,
      attempt: 1,
      status: 'PENDING',
      source_account_uuid: source.uuid,
      amount,
      debited: amount,
      currency: body.currency,
      rail: body.rail,
      destination: JSON.stringify(body.destination),
      lookup_uuid: body.lookup_uuid ?? null,
      br_code_uuid: body.br_code_uuid ?? null,
      charge_uuid,
      callback_url: body.callback_url ?? null,
      updated_at: context.now(),
    },
    { call },
  );
  takeMoney(context, source, row);
  return created(presentPayout(context, planAttempt(context, row)));
};

export const reissuePayout: Operation<Schemas['PayoutReissue']> = (context, call) => {
  const row = existing(context, 'payouts', idOf(call));
  const { origin_id, attempt } = call.body;
  if (origin_id !== row.origin_id) throw refuse('origin_id_conflict', 'origin_id is not that of the payout');
  if (attempt <= row.attempt) return ok(presentPayout(context, row));
  if (row.status !== 'FAILED' && row.status !== 'ERROR')
    throw refuse('rejected', 'only a failed payout can be issued again', 409);
  if (attempt > row.attempt + 1) throw refuse('invalid_request', `attempt ${row.attempt + 1} comes first`);
  if (row.charge_uuid !== null) assertPayable(context, row.charge_uuid);
  const source = existing(context, 'accounts', row.source_account_uuid);
  assertActive(source);
  const again = { status: 'PENDING', attempt, debited: row.amount } as const;
  const issued = change(context, 'payouts', row, { ...again, ...NO_FAILURE });
  takeMoney(context, source, issued);
  return ok(presentPayout(context, planAttempt(context, issued)));
};

export const getPayout: Operation = (context, call) =>
  ok(presentPayout(context, existing(context, 'payouts', idOf(call))));

export const findPayouts: Operation = (context, call) => listed(context, call, 'payouts', presentPayout);

export const updatePayout: Operation<Schemas['CallbackUpdate']> = (context, call) =>
  ok(presentPayout(context, setCallbackUrl(context, 'payouts', idOf(call), call.body)));

/** Plans the steps of this attempt, or applies an instant outcome. Returns the payout afterwards. */
function planAttempt(context: SandboxContext, row: PayoutRow): PayoutRow {
  const { uuid, attempt } = row;
  const outcome = context.seams.outcomeDecided('payouts', outcomeOf(row), row.currency);
  const isInstant = outcome === 'instant' || outcome === 'instantFailure';
  let now = row;
  for (const { afterMs, ...step } of payoutSteps(outcome, attempt, context.options))
    if (isInstant) now = settlePayout(context, uuid, { attempt, ...step }, true);
    else schedule(context, afterMs, 'payout', uuid, { attempt, ...step });
  return now;
}

/**
 * Moves a payout to its next status, if that is allowed, and sends the callback.
 * @returns the payout afterwards.
 */
export function settlePayout(
  context: SandboxContext,
  uuid: string,
  step: PayoutStep,
  quietly = false,
): PayoutRow {
  const row = existing(context, 'payouts', uuid);
  const isLate = step.isLate === true && row.status === 'FAILED';
  if (row.attempt !== step.attempt || !(isLate || mayBecome(row.status, step.status))) return row;
  const debited = isLate ? takeAgain(context, row) : row.debited;
  if (step.status === 'COMPLETED') payOut(context, row);
  else giveBack(context, existing(context, 'accounts', row.source_account_uuid), row, refundedOf(row));
  const arrived = step.status === 'COMPLETED' && row.rail === 'PIX';
  const settled = change(context, 'payouts', row, {
    status: step.status,
    debited,
    ...(arrived && { end_to_end_id: endToEndId(context.now(), row.seq), voucher_id: voucherId(uuid) }),
    ...failureColumns(context, row, step.status),
  });
  if (!quietly)
    enqueueCallback(context, 'payout.updated', 'payouts', settled, presentPayout(context, settled));
  return settled;
}

/** Debits a failed payout that is completed after all. The provider pays it if the account does not cover it any more. */
function takeAgain(context: SandboxContext, row: PayoutRow): number {
  const source = existing(context, 'accounts', row.source_account_uuid);
  const debited = covers(context, source, row.amount) ? row.amount : 0;
  takeMoney(context, source, { ...row, debited });
  return debited;
}

/**
 * Ends a payout as a tester decides, instead of as planned.
 * @throws 409 if its state forbids this, 404 if there is none.
 */
export function endPayout(
  context: SandboxContext,
  uuid: string,
  status: PayoutStep['status'],
): Schemas['Payout'] {
  const row = existing(context, 'payouts', uuid);
  if (!mayBecome(row.status, status))
    throw refuse('rejected', `the payout is ${row.status}: ${AFTERWARDS[row.status]}`, 409);
  cancelPlanned(context, uuid);
  return presentPayout(context, settlePayout(context, uuid, { attempt: row.attempt, status }));
}

/** The steps that are still possible for a payout, by its status. */
export const AFTERWARDS: Record<PayoutRow['status'], string> = {
  PENDING: 'it can be completed, fail or be returned',
  COMPLETED: 'it can only be returned',
  FAILED: 'only another attempt by the client can change that',
  ERROR: 'only another attempt by the client can change that',
  REFUNDED: 'that is final',
};

/** A part of a payout that came back, as it is stored. */
type StoredRefund = { movement: string; amount: number; at: number };

const refundsOf = ({ refunds }: PayoutRow): StoredRefund[] => JSON.parse(refunds ?? '[]') as StoredRefund[];

/** Returns how much of a payout came back while it stayed completed. */
export const refundedOf = (row: PayoutRow): number =>
  refundsOf(row).reduce((sum, { amount }) => sum + amount, 0);

/**
 * Returns a part of a completed payout. When nothing is left, the payout is returned.
 * @throws 409 if the payout is not completed, or has less than this amount left.
 */
export function refundPart(context: SandboxContext, uuid: string, amount: number): Schemas['Payout'] {
  const row = existing(context, 'payouts', uuid);
  if (row.status !== 'COMPLETED') throw refuse('rejected', `the payout is ${row.status}, not COMPLETED`, 409);
  const remaining = row.amount - refundedOf(row);
  if (amount > remaining)
    throw refuse('rejected', `only ${writeAmount(remaining, row.currency)} is left of it`, 409);
  if (amount === remaining)
    return presentPayout(context, settlePayout(context, uuid, { attempt: row.attempt, status: 'REFUNDED' }));
  const source = existing(context, 'accounts', row.source_account_uuid);
  const movement = move(context, source, 'PAYOUT_REFUND', amount, outside(row.currency), row);
  if (movement === null) throw new Error('a refund moved nothing');
  const refunds = JSON.stringify([...refundsOf(row), { movement, amount, at: context.now() }]);
  const changed = change(context, 'payouts', row, { refunds });
  enqueueCallback(context, 'payout.updated', 'payouts', changed, presentPayout(context, changed));
  return presentPayout(context, changed);
}

/** Reports a payout whose contestation has changed. */
export function reportPayout(context: SandboxContext, uuid: string): void {
  const row = change(context, 'payouts', existing(context, 'payouts', uuid), {});
  enqueueCallback(context, 'payout.updated', 'payouts', row, presentPayout(context, row));
}

const NO_FAILURE = { failure_reason: null, failure_code: null, failure_limit: null, retry_from: null };
/** The hours in UTC at which a day, and a day without its night, begin in São Paulo. */
const BEGINS_AT_HOUR = { day: 3, night: 9 };

function failureColumns(context: SandboxContext, row: PayoutRow, status: PayoutStep['status']) {
  if (status === 'COMPLETED') return NO_FAILURE;
  if (status === 'REFUNDED') return { ...NO_FAILURE, failure_reason: 'the recipient bank sent it back' };
  if (status === 'ERROR')
    return { ...NO_FAILURE, failure_reason: 'the scheme did not answer', failure_code: 'other' };
  const { code, reason, limit } = payoutFailure(outcomeOf(row));
  const ends = limit === undefined ? null : limitEnd(context.now(), limit);
  return {
    failure_reason: reason,
    failure_code: code,
    failure_limit: limit ?? null,
    retry_from: ends === null ? null : isoTime(ends),
  };
}

/** Returns when a limit ends: at the next begin of its hour. Null for the limit of one payment. */
export function limitEnd(now: number, limit: PayoutLimit): number | null {
  if (limit === 'per_payment') return null;
  const today = new Date(now).setUTCHours(BEGINS_AT_HOUR[limit], 0, 0, 0);
  return today > now ? today : today + DAY_MS;
}
const DAY_MS = 24 * 60 * 60_000;

const destinationOf = (row: PayoutRow) => JSON.parse(row.destination) as Schemas['Destination'];

const outcomeOf = (row: PayoutRow) =>
  payoutOutcome(row.rail, destinationOf(row), writeAmount(row.amount, row.currency));

export const mayBecome = (from: PayoutRow['status'], to: PayoutStep['status']) =>
  from === 'PENDING' || (from === 'COMPLETED' && to === 'REFUNDED');

function assertFits(source: AccountRow, { rail, currency, destination }: Schemas['PayoutCreate']): void {
  if (currency !== CURRENCY_OF[rail] || currency !== source.currency)
    throw refuse('invalid_request', `${rail} pays ${CURRENCY_OF[rail]} from an account that holds it`);
  if (!(FIELD_OF[rail] in destination))
    throw refuse('invalid_request', `the destination is not one of ${rail}`);
  assertActive(source);
}

export function presentPayout(_context: SandboxContext, row: PayoutRow): Schemas['Payout'] {
  return {
    uuid: row.uuid,
    origin_id: row.origin_id,
    attempt: row.attempt,
    status: row.status,
    source_account_uuid: row.source_account_uuid,
    amount: writeAmount(row.amount, row.currency),
    currency: row.currency,
    rail: row.rail,
    destination: destinationOf(row),
    end_to_end_id: row.end_to_end_id,
    voucher_id: row.voucher_id,
    failure_reason: row.failure_reason,
    failure_code: row.failure_code,
    failure_limit: row.failure_limit,
    retry_from: row.retry_from,
    lookup_uuid: row.lookup_uuid,
    br_code_uuid: row.br_code_uuid,
    refunds: refundsOf(row).map(({ movement, amount, at }) => ({
      movement_uuid: movement,
      amount: writeAmount(amount, row.currency),
      created_at: isoTime(at),
    })),
    updated_at: isoTime(row.updated_at),
  };
}
