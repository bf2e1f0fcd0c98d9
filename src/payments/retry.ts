// POST /pix/payments/{id}/retry: pays the merchant again after a failed payout. Concurrent and repeated requests pay once.

import { hashed, idempotent, type Keyed } from '../api/idempotency.ts';
import { type Handler, ok } from '../api/operation.ts';
import type { Clock } from '../domain/clock.ts';
import type { Log } from '../domain/log.ts';
import { Refusal } from '../domain/refusals.ts';
import { advance, lockRow } from '../lifecycle/advance.ts';
import { pixPayment } from '../lifecycle/pix-payment.ts';
import { type Committing, transaction } from '../outbox/hand-off.ts';
import type { Cause } from '../platform/database/entities/transition.ts';
import type { Db } from '../platform/database/orm.ts';
import type { Sealer } from '../platform/security/sealer.ts';
import { findPixPayment } from '../platform/sql/pix-payments.ts';
import { hasOpenDiscrepancy } from '../reports/discrepancies.ts';
import { pixPaymentFrom } from './present.ts';

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
  return ok(pixPaymentFrom(await services.sealer.openerOf(user.id), payment));
};

/**
 * Retries a failed payout. Repeating the request while the payout is in progress changes nothing.
 * @throws Refusal `not_found` if the user has no such payment; `not_retryable` if the payment is in any other state, or has an open
 *   `twin` or `not_as_ordered` discrepancy.
 */
async function retryPayout(
  { db, outbox, sealer, clock }: Committing & { sealer: Sealer; clock: Clock },
  request: Keyed & { params: { id: string } },
  cause: Cause,
): Promise<void> {
  const now = clock.now();
  const payment = { id: request.params.id, userId: request.user.id };
  const keyed = await hashed(sealer, request);
  await transaction({ db, outbox }, (tx) =>
    idempotent(tx, 'retryPixPayment', keyed, now, async () => {
      const outcome = await retryOnce(tx, payment, cause, now);
      if (outcome === 'not_found' || outcome === 'not_retryable') throw new Refusal(outcome);
      return payment.id;
    }),
  );
}

/** Retries a failed payout unless it is already in progress. If several callers run concurrently, only one of them retries. */
export async function retryOnce(
  tx: Db,
  payment: { id: string; userId: string },
  cause: Cause,
  now: Date,
): Promise<'retried' | 'under_way' | 'not_found' | 'not_retryable'> {
  const row = await lockRow(tx, pixPayment, payment);
  if (row === null) return 'not_found';
  if (row.state === 'paying') return 'under_way';
  // While a twin or a payout to another recipient is unresolved, paying again could pay twice.
  if (await hasOpenDiscrepancy(tx, row, ['twin', 'not_as_ordered'])) return 'not_retryable';
  const retried = await advance(tx, pixPayment, row, { type: 'retry' }, cause, now);
  return retried === null ? 'not_retryable' : 'retried';
}
