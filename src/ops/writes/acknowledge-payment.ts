// An operator acknowledges a payment that needs support: its state stays, its alarm ends.
import type { StateOf } from '../../../machines/machines.ts';
import { needsSupport } from '../../../machines/states.ts';
import type { App } from '../../app.ts';
import { auditOperator, type By } from '../../audit/operator.ts';
import { inTransaction } from '../../database/transaction.ts';
import { acknowledgementOf } from '../../queries/acknowledged.ts';

export type Acknowledgement =
  | { outcome: 'acknowledged' | 'not_found' }
  | { outcome: 'acknowledged_before'; reason: string }
  | { outcome: 'not_in_review'; state: StateOf<'pix_payment'> };

export function acknowledgePayment(app: App, id: string, by: By): Promise<Acknowledgement> {
  const now = app.clock.now();
  return inTransaction(app.db, async (tx): Promise<Acknowledgement> => {
    const payment = await tx
      .selectFrom('pix_payments')
      .selectAll()
      .where('id', '=', id)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!payment) return { outcome: 'not_found' };
    const { user_id: userId, state, seq: transition } = payment;
    if (!needsSupport.pix_payment.includes(state)) return { outcome: 'not_in_review', state };
    const before = acknowledgementOf(payment);
    if (before) return { outcome: 'acknowledged_before', reason: before.reason };
    await tx
      .updateTable('pix_payments')
      .set({ acknowledged_seq: transition, acknowledged_at: now, acknowledgement: by.reason })
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .execute();
    await auditOperator(tx, { ...by, action: 'payments acknowledge', target: id, userId, now });
    return { outcome: 'acknowledged' };
  });
}
