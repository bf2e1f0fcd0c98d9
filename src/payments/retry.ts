// POST /pix/payments/{id}/retry: pays the merchant again after a failed payout. Concurrent and repeated requests pay once.

import { type Handler, ok } from '../api/operation.ts';
import type { Clock } from '../domain/clock.ts';
import { Refusal } from '../domain/refusals.ts';
import type { Committing } from '../outbox/hand-off.ts';
import type { Log } from '../platform/logging/log.ts';
import type { Sealer } from '../platform/sealing/sealer.ts';
import { findPixPayment } from '../platform/sql/pix-payments.ts';
import { pixPaymentFrom } from './present.ts';
import { retryPayout } from './retry-payout.ts';

export const retryPixPayment: Handler<
  'retryPixPayment',
  Committing & { sealer: Sealer; clock: Clock; log: Log }
> = async (request, services) => {
  const { user, params, requestId } = request;
  await retryPayout(services, request, { kind: 'request', id: requestId });
  services.log.info(
    { code: 'payment.retried', requestId, subjectId: params.id },
    'the user asked for the payout again',
  );
  const payment = await findPixPayment(services.db, { userId: user.id, id: params.id });
  if (!payment) throw new Refusal('not_found');
  return ok(await pixPaymentFrom(services.sealer, payment));
};
