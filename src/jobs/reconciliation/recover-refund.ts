// Begins a payment's refund again if a restored backup has forgotten it. The proof is a conversion back at the provider: a reverse leg
// is started only after leg 2 has failed, and a return only after an operator's command. The payment then starts that conversion
// again, which adopts the existing one.

import type { PixPaymentEvent } from '../../../machines/pix-payment.machine.ts';
import { handleFor } from '../../domain/handles.ts';
import { advance, lockRow } from '../../lifecycle/advance.ts';
import { pixPayment } from '../../lifecycle/pix-payment.ts';
import { transaction } from '../../outbox/hand-off.ts';
import { subjectHasUnresolvedTwin } from '../../reports/twins.ts';
import { findUnfinished } from '../../tables/lifecycles.ts';
import { count } from '../counters.ts';
import type { StageContext } from '../stage.ts';

export async function recoverRefund(
  { db, outbox, provider, clock, cause, counters }: StageContext,
  { id, userId }: { id: string; userId: string },
): Promise<void> {
  const payment = await findUnfinished.pix_payment(db, { id, userId });
  if (payment?.state !== 'converting.leg2' && payment?.state !== 'payout_failed') return;
  const purpose = payment.state === 'payout_failed' ? 'conversion-return' : 'conversion-reverse';
  const wayBack = await provider.findTransfer(handleFor(id, purpose));
  if (wayBack === null) return;
  await transaction({ db, outbox }, async (tx) => {
    const row = await lockRow(tx, pixPayment, { id, userId });
    if (row === null) return;
    // While a twin is unresolved, no refund begins: an operator decides first.
    if (await subjectHasUnresolvedTwin(tx, row)) return;
    const forgotten: PixPaymentEvent =
      purpose === 'conversion-reverse'
        ? { type: 'leg2.failed', reason: 'conversion_failed' }
        : { type: 'return.requested', homeDebitMinor: wayBack.destinationAmountMinor, capBps: 0 };
    // If the refund began here in the meantime, the payment's state refuses the event.
    const corrected = await advance(tx, pixPayment, row, forgotten, cause, clock.now());
    if (corrected !== null) count(counters, 'payments corrected');
  });
}
