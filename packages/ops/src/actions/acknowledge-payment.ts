// Ends the alarm of a payment in manual_review.
import { type CommandCall, OpsFailure } from '../command.ts';
import { noSuchPayment, oneLine } from '../format.ts';
import { acknowledgePayment } from '../writes/acknowledge-payment.ts';
import { printResult } from './print-result.ts';

export async function run({ app, out, argument: id, operator, reason }: CommandCall): Promise<void> {
  const result = await acknowledgePayment(app, id, { operator, reason });
  switch (result.outcome) {
    case 'acknowledged':
      return printResult(out, {
        changed: true,
        sentence:
          'The alarm has ended. The payment stays in manual_review, and `payments` lists it with your reason.',
      });
    case 'acknowledged_before':
      return printResult(out, {
        changed: false,
        sentence: `The payment was acknowledged before: ${oneLine(result.reason)}`,
      });
    case 'not_in_review':
      throw new OpsFailure(`The payment is ${result.state}: only manual_review is acknowledged.`);
    case 'not_found':
      throw new OpsFailure(noSuchPayment(id));
  }
}
