// Contestations of payouts: the payer says that a completed payout was a fraud, and the recipient's bank returns all of it, a part, or
// nothing.
import type { SandboxContext } from '../context.ts';
import { type ContestationOutcome, contestationOutcome } from '../magic.ts';
import { readAmount, writeAmount } from '../money.ts';
import { cancelPlanned, schedule } from '../schedule.ts';
import type { ContestationRow, PayoutRow } from '../store/rows.ts';
import { isoTime, nextStamp } from '../time.ts';
import type { Operation } from './handler.ts';
import { newUuid } from './new-uuid.ts';
import { created, idOf, ok, type Schemas } from './operation.ts';
import { refundedOf, refundPart, reportPayout } from './payouts.ts';
import { refuse } from './refusal.ts';
import { contentOf, existing } from './resources.ts';

const CONTESTABLE_MS = 80 * 24 * 60 * 60_000;
/** A bank decides this many times as late as a settlement ends. */
const LATE = 6;

export const createContestation: Operation<Schemas['ContestationCreate']> = (context, call) => {
  const { body } = call;
  const payout = existing(context, 'payouts', idOf(call));
  const content = contentOf(body);
  const earlier = contestationOf(context, payout.uuid);
  if (earlier?.origin_id === body.origin_id) {
    if (earlier.content !== content)
      throw refuse('origin_id_conflict', 'this handle was used with other content');
    return ok(present(earlier));
  }
  if (earlier) throw refuse('rejected', 'the payout was contested before', 409);
  if (payout.status !== 'COMPLETED' || payout.rail !== 'PIX')
    throw refuse('rejected', 'only a completed PIX payout can be contested', 409);
  if (context.now() - completedAt(payout) >= CONTESTABLE_MS)
    throw refuse('rejected', 'the payout was completed 80 days ago or earlier', 409);
  const row = context.store.insert<ContestationRow>('contestations', {
    uuid: newUuid(),
    payout_uuid: payout.uuid,
    origin_id: body.origin_id,
    content,
    reason: body.reason,
    status: 'OPEN',
    refunded_amount: 0,
    resolved_at: null,
    updated_at: context.now(),
  });
  const outcome = contestationOutcome(JSON.parse(payout.destination) as Schemas['Destination']);
  if (outcome !== 'open')
    schedule(context, LATE * context.options.settleMs, 'contestation', row.uuid, { outcome });
  return created(present(row));
};

export const getContestation: Operation = (context, call) => {
  const row = contestationOf(context, existing(context, 'payouts', idOf(call)).uuid);
  if (row?.uuid !== idOf(call, 'contestation_uuid')) throw refuse('not_found', 'no such contestation');
  return ok(present(row));
};

export const contestationOf = ({ store }: SandboxContext, payout: string): ContestationRow | undefined =>
  store.get('select * from contestations where payout_uuid = ?', payout);

/** Decides a contestation as planned. */
export function settleContestation(
  context: SandboxContext,
  uuid: string,
  { outcome }: { outcome: Exclude<ContestationOutcome, 'open'> },
): void {
  const row = context.store.get<ContestationRow>('select * from contestations where uuid = ?', uuid);
  if (row?.status !== 'OPEN') return;
  const payout = existing(context, 'payouts', row.payout_uuid);
  const rest = payout.amount - refundedOf(payout);
  const amount = outcome === 'rejected' ? 0 : outcome === 'whole' ? rest : Math.ceil(rest / 2);
  resolve(context, row, payout.status === 'COMPLETED' ? amount : 0);
}

/**
 * Decides a contestation as a tester wants.
 * @param amount decimal text: what comes back. Undefined for the rest of the payout.
 * @throws 409 if no contestation is open.
 */
export function decideContestation(
  context: SandboxContext,
  payoutUuid: string,
  isAccepted: boolean,
  amount: string | undefined,
): object {
  const payout = existing(context, 'payouts', payoutUuid);
  const row = contestationOf(context, payout.uuid);
  if (row?.status !== 'OPEN') throw refuse('rejected', 'no contestation of this payout is open', 409);
  cancelPlanned(context, row.uuid);
  const rest = payout.amount - refundedOf(payout);
  const accepted = amount === undefined ? rest : readAmount(amount, payout.currency, 'amount');
  return present(resolve(context, row, isAccepted ? accepted : 0));
}

/** Ends a contestation, and returns this amount. Without an amount it is rejected. */
function resolve(context: SandboxContext, row: ContestationRow, amount: number): ContestationRow {
  const now = nextStamp(context.now(), row.updated_at);
  const resolved = context.store.update<ContestationRow>('contestations', row.uuid, {
    status: amount > 0 ? 'ACCEPTED' : 'REJECTED',
    refunded_amount: amount,
    resolved_at: now,
    updated_at: now,
  });
  if (amount > 0) refundPart(context, row.payout_uuid, amount);
  else reportPayout(context, row.payout_uuid);
  return resolved;
}

/** A payout changes only when it is completed or comes back, so its last change is its completion unless a part came back. */
const completedAt = ({ updated_at, refunds }: PayoutRow): number =>
  (JSON.parse(refunds ?? '[]') as { at: number }[])[0]?.at ?? updated_at;

const present = (row: ContestationRow): Schemas['Contestation'] => ({
  uuid: row.uuid,
  origin_id: row.origin_id,
  status: row.status,
  refunded_amount: writeAmount(row.refunded_amount, 'BRL'),
  resolved_at: row.resolved_at === null ? null : isoTime(row.resolved_at),
  updated_at: isoTime(row.updated_at),
});
