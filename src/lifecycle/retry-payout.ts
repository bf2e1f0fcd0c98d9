// A failed payout is tried again because its user asked for it; nothing tries it again by itself.
import { Refusal } from '../api/errors.ts';
import { idempotent, type Keyed } from '../api/idempotency.ts';
import type { App } from '../app.ts';
import { advance, lockRow } from './advance.ts';
import type { Cause } from './lifecycle.ts';
import { pixPayment } from './pix-payment.ts';

/**
 * Asking again while it is under way changes nothing.
 * @throws Refusal `not_found` for a payment that is not the user's, `not_retryable` in any other state.
 */
export async function retryPayout(
  app: App,
  request: Keyed & { params: { id: string } },
  cause: Cause,
): Promise<void> {
  const now = app.clock.now();
  await app.db.transaction().execute((tx) =>
    idempotent(tx, 'retryPixPayment', request, now, async () => {
      const row = await lockRow(tx, pixPayment, { id: request.params.id, userId: request.user.id });
      if (row === null) throw new Refusal('not_found');
      if (row.state === 'paying') return row.id;
      const retried = await advance(tx, pixPayment, row, { type: 'retry' }, cause, now);
      if (retried === null) throw new Refusal('not_retryable');
      return row.id;
    }),
  );
}
