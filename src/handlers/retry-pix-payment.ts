// POST /pix/payments/{id}/retry: pays the merchant again after a failed payout. Pressing it often is pressing it once.
import { Refusal } from '../api/errors.ts';
import { idempotent } from '../api/idempotency.ts';
import { type Handler, ok } from '../api/operation.ts';
import { advance, lockRow } from '../lifecycle/advance.ts';
import { pixPayment } from '../lifecycle/pix-payment.ts';
import { findPixPayment, pixPaymentFrom } from '../queries/pix-payments.ts';

export const retryPixPayment: Handler<'retryPixPayment'> = async (request, app) => {
  const { user, params, requestId } = request;
  const now = app.clock.now();
  await app.db.transaction().execute((tx) =>
    idempotent(tx, 'retryPixPayment', request, now, async () => {
      const row = await lockRow(tx, pixPayment, params.id);
      if (row?.user_id !== user.id) throw new Refusal('not_found');
      if (row.state === 'paying') return row.id;
      const retried = await advance(
        tx,
        pixPayment,
        row,
        { type: 'retry' },
        { kind: 'request', id: requestId },
        now,
      );
      if (retried === null) throw new Refusal('not_retryable');
      return row.id;
    }),
  );
  const payment = await findPixPayment(app.db, user.id, params.id);
  if (!payment) throw new Refusal('not_found');
  return ok(await pixPaymentFrom(app.sealer, payment));
};
