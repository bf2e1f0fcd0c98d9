// After a restored backup a payment may be in its second conversion although that was given up: the way back exists at
// the provider, and is only ever begun after giving up. Then the conversion is given up here, too, before the way back
// is begun again.

import { count } from '../batch/counters.ts';
import type { StageContext } from '../batch/stage.ts';
import { handleFor } from '../domain/handles.ts';
import { advance, lockRow } from '../lifecycle/advance.ts';
import { pixPayment } from '../lifecycle/pix-payment.ts';
import { transaction } from '../outbox/hand-off.ts';
import { subjectHasUnresolvedTwin } from '../snapshots/twins.ts';
import { stillUnfinished, type Unfinished } from './unfinished.ts';

export async function recoverRefund(
  { app, cause, counters }: StageContext,
  { id }: Unfinished,
): Promise<void> {
  const payment = await stillUnfinished(app.db, 'pix_payment', id);
  if (payment?.state !== 'converting.leg2') return;
  const wayBack = await app.provider.findTransfer(handleFor(id, 'conversion-reverse'));
  if (wayBack === null) return;
  await transaction(app, async (tx) => {
    const row = await lockRow(tx, pixPayment, { id, userId: payment.userId });
    // Had it been given up here meanwhile, the way back would be this one's own.
    if (row === null || row.seq !== payment.seq) return;
    // While a twin is unresolved nothing is given up: an operator decides first.
    if (await subjectHasUnresolvedTwin(tx, row)) return;
    const givenUp = { type: 'leg2.failed', reason: 'conversion_failed' } as const;
    await advance(tx, pixPayment, row, givenUp, cause, app.clock.now());
    count(counters, 'payments corrected');
  });
}
