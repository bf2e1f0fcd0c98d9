// Stops a return that cannot continue, for example because another payout took the BRL. The effect of the return decides how: if its
// conversion exists at the provider, the return completes; otherwise the payment goes to manual_review, as soon as no request for
// the conversion can be in flight.

import { TRIED_BEFORE } from '../../src/outbox/backoff.ts';
import { lockOpenReturn, queueEffectAgain, setPendingRefusal } from '../../src/tables/effects/statements.ts';
import { audit, changed, inOneCommit } from '../action.ts';
import { type CommandSpec, OpsFailure } from '../command.ts';
import { lockPayment } from '../lock-payment.ts';

/** The refusal that the effect applies. Operators see it while a request can be in flight. */
const REFUSAL = 'stopped by an operator';

export const paymentsStopReturnCommand: CommandSpec = {
  name: 'payments stop-return',
  summary: 'end a return that cannot continue; the payment goes to manual_review',
  argument: { name: 'paymentId', form: 'uuid' },
  run: inOneCommit(async (tx, call) => {
    const { argument: id } = call;
    const payment = await lockPayment(tx, id);
    const { userId, state } = payment;
    const effect = await lockOpenReturn(tx, { subjectId: id, userId });
    if (state !== 'refunding' || !effect)
      throw new OpsFailure(`The payment is ${state}: only a return in refunding can be stopped.`);
    if (effect.leasedBy !== null)
      throw new OpsFailure('A worker is running the return at the moment. Nothing was changed; try again.');
    await setPendingRefusal(tx, { ...effect, userId, refusal: REFUSAL });
    await queueEffectAgain(tx, { id: effect.id, userId, attempts: TRIED_BEFORE });
    await audit(tx, call, { target: id, userId });
    return changed(
      `The return stops. The payment goes to manual_review when no request can be in flight, after a few minutes at most. If its conversion has happened, it is refunded instead. See: npm run ops -- show ${id}`,
    );
  }),
};
