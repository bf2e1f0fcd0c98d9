// Stops a return that cannot continue, for example because another payout took the BRL. The effect of the return decides how: if its
// conversion exists at the provider, the return completes; otherwise the payment goes to manual_review, as soon as no request for
// the conversion can be in flight.

import type { Clock } from '../../../../src/domain/clock.ts';
import { inDbTransaction } from '../../../../src/platform/database/db-transaction.ts';
import type { Entity } from '../../../../src/platform/database/entities/rows.ts';
import type { Db } from '../../../../src/platform/database/orm.ts';
import { auditOperator, type By } from '../../../../src/platform/security/audit-operator.ts';
import { lockOpenReturn, queueEffectAgain, setPendingRefusal } from '../../../../src/platform/sql/effects.ts';
import { lockPixPaymentById } from '../../../../src/platform/sql/pix-payments.ts';
import { TRIED_BEFORE } from '../../../../src/provider/backoff.ts';
import { type CommandCall, type CommandSpec, OpsFailure } from '../command.ts';
import { noSuchPayment } from '../format.ts';
import { printResult } from '../output.ts';

export const paymentsStopReturnCommand: CommandSpec = {
  name: 'payments stop-return',
  summary: 'end a return that cannot continue; the payment goes to manual_review',
  argument: { name: 'paymentId', form: 'uuid' },
  run,
};

async function run({ app, out, argument: id, operator, reason }: CommandCall): Promise<void> {
  const result = await stopReturn(app, id, { operator, reason });
  switch (result.outcome) {
    case 'stopping':
      return printResult(out, {
        changed: true,
        sentence: `The return stops. The payment goes to manual_review when no request can be in flight, after a few minutes at most. If its conversion has happened, it is refunded instead. See: npm run ops -- show ${id}`,
      });
    case 'running':
      throw new OpsFailure('A worker is running the return at the moment. Nothing was changed; try again.');
    case 'not_returning':
      throw new OpsFailure(`The payment is ${result.state}: only a return in refunding can be stopped.`);
    case 'not_found':
      throw new OpsFailure(noSuchPayment(id));
  }
}

/** The refusal that the effect applies. Operators see it while a request can be in flight. */
const REFUSAL = 'stopped by an operator';

type Stopped =
  | { outcome: 'stopping' | 'running' | 'not_found' }
  | { outcome: 'not_returning'; state: Entity<'PixPayment'>['state'] };

function stopReturn({ db, clock }: { db: Db; clock: Clock }, paymentId: string, by: By): Promise<Stopped> {
  return inDbTransaction(db, async (tx): Promise<Stopped> => {
    const payment = await lockPixPaymentById(tx, { id: paymentId });
    if (!payment) return { outcome: 'not_found' };
    const { userId, state } = payment;
    const effect = await lockOpenReturn(tx, { subjectId: paymentId, userId });
    if (state !== 'refunding' || !effect) return { outcome: 'not_returning', state };
    if (effect.leasedBy !== null) return { outcome: 'running' };
    await setPendingRefusal(tx, { ...effect, userId, refusal: REFUSAL });
    await queueEffectAgain(tx, { id: effect.id, userId, attempts: TRIED_BEFORE });
    await auditOperator(tx, {
      ...by,
      action: 'payments stop-return',
      target: paymentId,
      userId,
      now: clock.now(),
    });
    return { outcome: 'stopping' };
  });
}
