// Acknowledges a payment that needs support. Its alarm ends; its state does not change.

import type { StateOf } from '../../../../machines/machines.ts';
import { needsSupport } from '../../../../machines/states.ts';
import type { Clock } from '../../../../src/domain/clock.ts';
import { auditOperator, type By } from '../../../../src/platform/audit/operator.ts';
import { inDbTransaction } from '../../../../src/platform/database/db-transaction.ts';
import type { Db } from '../../../../src/platform/database/orm.ts';
import { acknowledgeTransition, lockPixPaymentById } from '../../../../src/platform/sql/pix-payments.ts';
import { acknowledgementOf } from '../acknowledged.ts';

export type Acknowledgement =
  | { outcome: 'acknowledged' | 'not_found' }
  | { outcome: 'acknowledged_before'; reason: string }
  | { outcome: 'not_in_review'; state: StateOf<'pix_payment'> };

export function acknowledgePayment(
  { db, clock }: { db: Db; clock: Clock },
  id: string,
  by: By,
): Promise<Acknowledgement> {
  const now = clock.now();
  return inDbTransaction(db, async (tx): Promise<Acknowledgement> => {
    const payment = await lockPixPaymentById(tx, { id });
    if (!payment) return { outcome: 'not_found' };
    const { userId, state, seq: transition } = payment;
    if (!needsSupport.pix_payment.includes(state)) return { outcome: 'not_in_review', state };
    const before = acknowledgementOf(payment);
    if (before) return { outcome: 'acknowledged_before', reason: before.reason };
    await acknowledgeTransition(tx, { id, userId, transition, at: now, reason: by.reason });
    await auditOperator(tx, { ...by, action: 'payments acknowledge', target: id, userId, now });
    return { outcome: 'acknowledged' };
  });
}
