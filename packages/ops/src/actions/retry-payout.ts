// Re-issues a failed payout, as its user could. Concurrent calls re-issue it only once.
import type { Clock } from '../../../../src/domain/clock.ts';
import { type Committing, transaction } from '../../../../src/outbox/hand-off.ts';
import { retryOnce } from '../../../../src/payments/retry.ts';
import type { Db } from '../../../../src/platform/database/orm.ts';
import { auditOperator } from '../../../../src/platform/security/audit-operator.ts';
import { findPause } from '../../../../src/platform/sql/effect-pauses.ts';
import { findPixPaymentById } from '../../../../src/platform/sql/pix-payments.ts';
import { type CommandCall, type CommandSpec, OpsFailure } from '../command.ts';
import { noSuchPayment } from '../format.ts';
import { printResult } from '../output.ts';

export const paymentsRetryPayoutCommand: CommandSpec = {
  name: 'payments retry-payout',
  summary: 'issue a failed payout again, under the same origin id',
  argument: { name: 'paymentId', form: 'uuid' },
  run,
};

async function run({ app, out, argument: id, operator, reason }: CommandCall): Promise<void> {
  const payment = await findPixPaymentById(app.db, { id });
  const outcome = payment
    ? await retry(app, { id, userId: payment.userId }, { operator, reason })
    : 'not_found';
  switch (outcome) {
    case 'retried':
      return printResult(out, {
        changed: true,
        sentence: `The payout is issued again, under the same origin id.${await pauseNote(app.db)} See: npm run ops -- show ${id}`,
      });
    case 'under_way':
      return printResult(out, { changed: false, sentence: 'The payment is being paid already.' });
    case 'not_found':
      throw new OpsFailure(noSuchPayment(id));
    case 'not_retryable':
      throw new OpsFailure(
        payment?.state === 'payout_failed'
          ? 'An open discrepancy holds the payment. A twin ends by discrepancies follow, another kind by discrepancies end or resolve.'
          : `The payment is ${payment?.state}: only payout_failed can be retried.`,
      );
  }
}

const retry = (
  { db, outbox, clock }: Committing & { clock: Clock },
  payment: { id: string; userId: string },
  by: { operator: string; reason: string },
) =>
  transaction({ db, outbox }, async (tx) => {
    const now = clock.now();
    const outcome = await retryOnce(tx, payment, { kind: 'operator', id: by.operator }, now);
    if (outcome === 'retried')
      await auditOperator(tx, {
        ...by,
        action: 'payments retry-payout',
        target: payment.id,
        userId: payment.userId,
        now,
      });
    return outcome;
  });

async function pauseNote(db: Db): Promise<string> {
  const paused = await findPause(db, { type: 'startPayout' });
  return paused ? ' The effect waits until startPayout is resumed.' : '';
}
