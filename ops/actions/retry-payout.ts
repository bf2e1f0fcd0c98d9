// Re-issues a failed payout, as its user could. Concurrent calls re-issue it only once.
import { transaction } from '../../src/outbox/hand-off.ts';
import { retryOnce } from '../../src/payments/retry.ts';
import { findPause } from '../../src/tables/effect-pauses/statements.ts';
import { findPixPaymentById } from '../../src/tables/pix-payments/statements.ts';
import { audit, changed, unchanged } from '../action.ts';
import { type CommandSpec, OpsFailure } from '../command.ts';
import { noSuchPayment } from '../format.ts';

export const paymentsRetryPayoutCommand: CommandSpec = {
  name: 'payments retry-payout',
  summary: 'issue a failed payout again, under the same origin id',
  argument: { name: 'paymentId', form: 'uuid' },
  run: async (call) => {
    const { app, argument: id, operator } = call;
    const payment = await findPixPaymentById(app.db, { id });
    if (!payment) throw new OpsFailure(noSuchPayment(id));
    const { userId, state } = payment;
    const pause = await findPause(app.db, { type: 'startPayout' });
    const note = pause ? ' The effect waits until startPayout is resumed.' : '';
    return transaction(app, async (tx) => {
      const cause = { kind: 'operator', id: operator } as const;
      switch (await retryOnce(tx, { id, userId }, cause, app.clock.now())) {
        case 'retried':
          await audit(tx, call, { target: id, userId });
          return changed(
            `The payout is issued again, under the same origin id.${note} See: npm run ops -- show ${id}`,
          );
        case 'under_way':
          return unchanged('The payment is being paid already.');
        case 'not_found':
          throw new OpsFailure(noSuchPayment(id));
        case 'not_retryable':
          throw new OpsFailure(
            state === 'payout_failed'
              ? 'An open discrepancy blocks the payment. A twin ends by discrepancies follow, another kind by discrepancies end or resolve.'
              : `The payment is ${state}: only payout_failed can be retried.`,
          );
      }
    });
  },
};
