// Takes a payment in manual_review off the alarms.

import { type Call, OpsFailure } from '../command.ts';
import { oneLine } from '../format.ts';
import { acknowledgePayment } from '../writes/acknowledge-payment.ts';
import { printResult } from './result.ts';

export async function run({ app, out, argument: id, operator, reason }: Call): Promise<void> {
  const done = await acknowledgePayment(app, id, { operator, reason });
  switch (done.outcome) {
    case 'acknowledged':
      return printResult(out, {
        changed: true,
        sentence: 'It alarms no more; `payments` lists it with what you said, and it stays in manual_review.',
      });
    case 'acknowledged_before':
      return printResult(out, {
        changed: false,
        sentence: `It was acknowledged before: ${oneLine(done.reason)}`,
      });
    case 'needs_nobody':
      throw new OpsFailure(`The payment is ${done.state}: only manual_review is acknowledged.`);
    case 'not_found':
      throw new OpsFailure(`There is no PIX payment ${id}. A transaction's payment is named by: show ${id}`);
  }
}
