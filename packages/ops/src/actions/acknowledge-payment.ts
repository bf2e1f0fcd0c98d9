// Ends the alarm of a payment in manual_review. Its state does not change.

import type { StateOf } from '../../../../machines/machines.ts';
import { needsSupport } from '../../../../machines/states.ts';
import type { Clock } from '../../../../src/domain/clock.ts';
import { inDbTransaction } from '../../../../src/platform/database/db-transaction.ts';
import type { Db } from '../../../../src/platform/database/orm.ts';
import { auditOperator, type By } from '../../../../src/platform/security/audit-operator.ts';
import { acknowledgeTransition, lockPixPaymentById } from '../../../../src/platform/sql/pix-payments.ts';
import { acknowledgementOf } from '../acknowledged.ts';
import { type CommandCall, type CommandSpec, OpsFailure } from '../command.ts';
import { noSuchPayment, oneLine } from '../format.ts';
import { printResult } from '../output.ts';

export const paymentsAcknowledgeCommand: CommandSpec = {
  name: 'payments acknowledge',
  summary: 'end the alarm of a payment in manual_review; the reason says who settles it',
  argument: { name: 'paymentId', form: 'uuid' },
  run,
};

async function run({ app, out, argument: id, operator, reason }: CommandCall): Promise<void> {
  const result = await acknowledgePayment(app, id, { operator, reason });
  switch (result.outcome) {
    case 'acknowledged':
      return printResult(out, {
        changed: true,
        sentence:
          'The alarm has ended. The payment stays in manual_review, and `payments` lists it with your reason.',
      });
    case 'acknowledged_before':
      return printResult(out, {
        changed: false,
        sentence: `The payment was acknowledged before: ${oneLine(result.reason)}`,
      });
    case 'not_in_review':
      throw new OpsFailure(`The payment is ${result.state}: only manual_review is acknowledged.`);
    case 'not_found':
      throw new OpsFailure(noSuchPayment(id));
  }
}

type Acknowledgement =
  | { outcome: 'acknowledged' | 'not_found' }
  | { outcome: 'acknowledged_before'; reason: string }
  | { outcome: 'not_in_review'; state: StateOf<'pix_payment'> };

function acknowledgePayment(
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
