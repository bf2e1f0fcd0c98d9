// Records the settlement of a payment in manual_review. The state stays, and no money moves here. Two different operators are needed:
// the first proposes the figures, the second confirms them.
import { needsSupport } from '../../../../machines/states.ts';
import type { Clock } from '../../../../src/domain/clock.ts';
import { advance } from '../../../../src/lifecycle/advance.ts';
import { pixPayment, settlementOf } from '../../../../src/lifecycle/pix-payment.ts';
import { auditOperator, type By } from '../../../../src/platform/audit/operator.ts';
import { inDbTransaction } from '../../../../src/platform/database/db-transaction.ts';
import type { Db } from '../../../../src/platform/database/orm.ts';
import type { Entity } from '../../../../src/platform/entities/rows.ts';
import {
  acknowledgeTransition,
  confirmSettlement,
  lockPixPaymentById,
  proposeSettlement,
} from '../../../../src/platform/sql/pix-payments.ts';
import { amount } from '../format.ts';

/** The currencies of settlements. Users never see USDC. */
export const settlementCurrencies = ['GBP', 'EUR', 'BRL'] as const;
export type SettlementCurrency = (typeof settlementCurrencies)[number];

type Figures = { amountMinor: number; currency: SettlementCurrency; reference: string };

export type SettlementResult =
  | { outcome: 'proposed' | 'settled' | 'settled_before' | 'not_found' }
  | { outcome: 'not_in_review'; state: Entity<'PixPayment'>['state'] }
  | { outcome: 'wrong_currency'; allowed: SettlementCurrency[] }
  /** Another operator has proposed other figures. */
  | ({ outcome: 'differs'; by: string } & Figures);

/** Proposes a settlement, or confirms the proposal of another operator if the figures are the same. */
export function settlePayment(
  { db, clock }: { db: Db; clock: Clock },
  id: string,
  figures: Figures,
  by: By,
): Promise<SettlementResult> {
  const now = clock.now();
  return inDbTransaction(db, async (tx): Promise<SettlementResult> => {
    const payment = await lockPixPaymentById(tx, { id });
    if (!payment) return { outcome: 'not_found' };
    const { userId, state, sourceCurrency } = payment;
    if (settlementOf(payment)) return { outcome: 'settled_before' };
    if (!needsSupport.pix_payment.includes(state)) return { outcome: 'not_in_review', state };
    const allowed: SettlementCurrency[] = [sourceCurrency, 'BRL'];
    if (!allowed.includes(figures.currency)) return { outcome: 'wrong_currency', allowed };

    const proposal = proposalOf(payment);
    const isOwn = proposal === null || isSameOperator(proposal.by, by.operator);
    if (!isOwn && !isSame(proposal, figures)) return { outcome: 'differs', ...proposal };
    if (isOwn) await proposeSettlement(tx, { id, userId, ...figures, by: by.operator });
    else await confirm(tx, payment, figures, by, now);
    const { amountMinor, currency, reference } = figures;
    await auditOperator(tx, {
      operator: by.operator,
      reason: `${isOwn ? 'proposed' : 'confirmed'} ${amount(amountMinor, currency)}, reference ${reference}: ${by.reason}`,
      action: 'payments settle',
      target: id,
      userId,
      now,
    });
    return { outcome: isOwn ? 'proposed' : 'settled' };
  });
}

/** Writes the settlement through the machine. A settled payment needs no further attention, so its new transition is acknowledged. */
async function confirm(
  tx: Db,
  payment: Entity<'PixPayment'>,
  { amountMinor, currency, reference }: Figures,
  { operator }: By,
  now: Date,
): Promise<void> {
  const { id, userId } = payment;
  const event = { type: 'settled', amountMinor, currency, at: now } as const;
  const settled = await advance(tx, pixPayment, payment, event, { kind: 'operator', id: operator }, now);
  if (settled === null) throw new Error(`the payment ${id} refuses its settlement`);
  await confirmSettlement(tx, { id, userId, by: operator });
  await acknowledgeTransition(tx, {
    id,
    userId,
    transition: settled.seq,
    at: now,
    reason: `settled: ${reference}`,
  });
}

function proposalOf(row: Entity<'PixPayment'>): ({ by: string } & Figures) | null {
  const { settlementAmountMinor, settlementCurrency, settlementReference, settlementProposedBy } = row;
  if (settlementAmountMinor === null || settlementCurrency === null || settlementProposedBy === null)
    return null;
  return {
    by: settlementProposedBy,
    amountMinor: settlementAmountMinor,
    currency: settlementCurrency,
    reference: settlementReference ?? '',
  };
}

const isSame = (one: Figures, other: Figures): boolean =>
  one.amountMinor === other.amountMinor &&
  one.currency === other.currency &&
  one.reference === other.reference;

/** Whether two names are one operator's, however they are written. */
const isSameOperator = (one: string, other: string): boolean =>
  one.trim().toLowerCase() === other.trim().toLowerCase();
