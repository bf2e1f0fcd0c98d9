// POST /pix/payments/{id}/retry: pays the merchant again after a failed payout. Concurrent and repeated requests pay once.

import { hashed, idempotent } from '../api/idempotency.ts';
import { type Handler, ok } from '../api/operation.ts';
import type { Clock } from '../domain/clock.ts';
import type { Log } from '../domain/log.ts';
import { Refusal } from '../domain/refusals.ts';
import { advance, lockRow } from '../lifecycle/advance.ts';
import { pixPayment } from '../lifecycle/pix-payment.ts';
import { type Committing, type EnqueuingTx, transaction } from '../outbox/hand-off.ts';
import { hasOpenDiscrepancy } from '../reports/discrepancies.ts';
import type { Sealer } from '../security/sealer.ts';
import { findPixPayment } from '../tables/pix-payments/statements.ts';
import type { Cause } from '../tables/transitions/entity.ts';
import { pixPaymentFrom } from './present.ts';

/**
 * Retries a failed payout. Repeating the request while the payout is in progress changes nothing.
 * @throws Refusal `not_found` if the user has no such payment; `not_retryable` if the payment is in any other state, or has an open
 *   `twin` or `not_as_ordered` discrepancy.
 */
export const retryPixPayment: Handler<
  'retryPixPayment',
  Committing & { sealer: Sealer; clock: Clock; log: Log }
> = async (request, { db, outbox, sealer, clock, log }) => {
  const { user, params, requestId, language } = request;
  const { id } = params;
  const now = clock.now();
  const keyed = await hashed(sealer, request);
  await transaction({ db, outbox }, (tx) =>
    idempotent(tx, 'retryPixPayment', keyed, async () => {
      const outcome = await retryOnce(tx, { id, userId: user.id }, { kind: 'request', id: requestId }, now);
      if (outcome === 'not_found' || outcome === 'not_retryable') throw new Refusal(outcome);
      return id;
    }),
  );
  log.info({ code: 'payment.retried', requestId, subjectId: id }, 'the user asked for the payout again');
  const payment = await findPixPayment(db, { userId: user.id, id });
  if (!payment) throw new Refusal('not_found');
  return ok(pixPaymentFrom(await sealer.openerOf(user.id), payment, language));
};

/** Retries a failed payout unless it is already in progress. If several callers run concurrently, only one of them retries. */
export async function retryOnce(
  tx: EnqueuingTx,
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
