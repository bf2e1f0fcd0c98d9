// Fails leg 2 of a payment again if a restored backup has forgotten that it failed. The proof is a reverse leg at the provider, which
// is started only after leg 2 has failed. The payment then starts its reverse leg again, which adopts the existing one.

import { handleFor } from '../../domain/handles.ts';
import { advance, lockRow } from '../../lifecycle/advance.ts';
import { pixPayment } from '../../lifecycle/pix-payment.ts';
import { transaction } from '../../outbox/hand-off.ts';
import { subjectHasUnresolvedTwin } from '../../reports/twins.ts';
import { count } from '../counters.ts';
import type { StageContext } from '../stage.ts';
import { stillUnfinished, type Unfinished } from './unfinished.ts';

export async function recoverRefund(
  { db, outbox, provider, clock, cause, counters }: StageContext,
  { id }: Unfinished,
): Promise<void> {
  const payment = await stillUnfinished(db, 'pix_payment', id);
  if (payment?.state !== 'converting.leg2') return;
  const wayBack = await provider.findTransfer(handleFor(id, 'conversion-reverse'));
  if (wayBack === null) return;
  await transaction({ db, outbox }, async (tx) => {
    const row = await lockRow(tx, pixPayment, { id, userId: payment.userId });
    // If leg 2 failed here in the meantime, the reverse leg was started by this payment's own transition.
    if (row === null || row.seq !== payment.seq) return;
    // While a twin is unresolved, leg 2 does not fail: an operator decides first.
    if (await subjectHasUnresolvedTwin(tx, row)) return;
    const givenUp = { type: 'leg2.failed', reason: 'conversion_failed' } as const;
    await advance(tx, pixPayment, row, givenUp, cause, clock.now());
    count(counters, 'payments corrected');
  });
}
