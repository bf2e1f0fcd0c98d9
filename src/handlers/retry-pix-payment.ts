// POST /pix/payments/{id}/retry: pays the merchant again after a failed payout. Concurrent and repeated requests pay once.

import { retryPayout } from '../commands/retry-payout.ts';
import { Refusal } from '../domain/refusals.ts';
import { pixPaymentFrom } from '../queries/pix-payments.ts';
import { findPixPayment } from '../sql/pix-payments.ts';
import { type Handler, ok } from './operation.ts';

export const retryPixPayment: Handler<'retryPixPayment'> = async (request, app) => {
  const { user, params, requestId } = request;
  await retryPayout(app, request, { kind: 'request', id: requestId });
  app.log.info(
    { code: 'payment.retried', requestId, subjectId: params.id },
    'the user asked for the payout again',
  );
  const payment = await findPixPayment(app.db, { userId: user.id, id: params.id });
  if (!payment) throw new Refusal('not_found');
  return ok(await pixPaymentFrom(app.sealer, payment));
};
