// Ends the alarm of a payment in manual_review. Its state does not change.

import { needsSupport } from '../../machines/states.ts';
import { acknowledgeTransition } from '../../src/tables/pix-payments/statements.ts';
import { acknowledgementOf } from '../acknowledged.ts';
import { audit, changed, inOneCommit, unchanged } from '../action.ts';
import { type CommandSpec, OpsFailure } from '../command.ts';
import { oneLine } from '../format.ts';
import { lockPayment } from '../lock-payment.ts';

export const paymentsAcknowledgeCommand: CommandSpec = {
  name: 'payments acknowledge',
  summary: 'end the alarm of a payment in manual_review; the reason says who settles it',
  argument: { name: 'paymentId', form: 'uuid' },
  run: inOneCommit(async (tx, call) => {
    const { app, argument: id, reason } = call;
    const payment = await lockPayment(tx, id);
    const { userId, state, seq: transition } = payment;
    if (!needsSupport.pix_payment.includes(state))
      throw new OpsFailure(`The payment is ${state}: only manual_review is acknowledged.`);
    const before = acknowledgementOf(payment);
    if (before) return unchanged(`The payment was acknowledged before: ${oneLine(before.reason)}`);
    await acknowledgeTransition(tx, { id, userId, transition, at: app.clock.now(), reason });
    await audit(tx, call, { target: id, userId });
    return changed(
      'The alarm has ended. The payment stays in manual_review, and `payments` lists it with your reason.',
    );
  }),
};
