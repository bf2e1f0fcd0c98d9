// A failed payout is tried again because its user, or an operator, asked for it; nothing tries it again by itself.

import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';
import { Refusal } from '../domain/refusals.ts';
import { advance, lockRow } from '../lifecycle/advance.ts';
import type { Cause } from '../lifecycle/lifecycle.ts';
import { pixPayment } from '../lifecycle/pix-payment.ts';
import { transaction } from '../outbox/hand-off.ts';
import { hasOpenDiscrepancy } from '../snapshots/discrepancies.ts';
import { hashed, idempotent, type Keyed } from './idempotency.ts';

/**
 * Asking again while it is under way changes nothing.
 * @throws Refusal `not_found` for a payment that is not the user's, `not_retryable` in any other state, and while a twin of
 *   the provider's is unresolved.
 */
export async function retryPayout(
  app: App,
  request: Keyed & { params: { id: string } },
  cause: Cause,
): Promise<void> {
  const now = app.clock.now();
  const payment = { id: request.params.id, userId: request.user.id };
  const keyed = await hashed(app.sealer, request);
  await transaction(app, (tx) =>
    idempotent(tx, 'retryPixPayment', keyed, now, async () => {
      const outcome = await retryOnce(tx, payment, cause, now);
      if (outcome === 'not_found' || outcome === 'not_retryable') throw new Refusal(outcome);
      return payment.id;
    }),
  );
}

/** Tries again unless that is under way already; of any number of concurrent callers one finds it failed. */
export async function retryOnce(
  tx: Db,
  payment: { id: string; userId: string },
  cause: Cause,
  now: Date,
): Promise<'retried' | 'under_way' | 'not_found' | 'not_retryable'> {
  const row = await lockRow(tx, pixPayment, payment);
  if (row === null) return 'not_found';
  if (row.state === 'paying') return 'under_way';
  // Paying again beside an unresolved twin, or beside a payout to another recipient, could pay twice.
  if (await hasOpenDiscrepancy(tx, row, ['twin', 'not_as_ordered'])) return 'not_retryable';
  const retried = await advance(tx, pixPayment, row, { type: 'retry' }, cause, now);
  return retried === null ? 'not_retryable' : 'retried';
}
