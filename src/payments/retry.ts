// POST /pix/payments/{id}/retry: pays the merchant again after a failed payout. Concurrent and repeated requests pay once.

import { retryPayout } from './retry-payout.ts';
import { Refusal } from '../domain/refusals.ts';
import { pixPaymentFrom } from './present.ts';
import { findPixPayment } from '../platform/sql/pix-payments.ts';
import { type Handler, ok } from '../api/operation.ts';

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
