// Converts the BRL of a failed payout back to the user's balance, to the exact debit. Concurrent calls begin one return.
import { auditOperator } from '../../../../src/platform/audit/operator.ts';
import { type CommandCall, OpsFailure, UsageError } from '../command.ts';
import { amount, moment, noSuchPayment } from '../format.ts';
import { type Returned, returnPayment } from '../writes/return-payment.ts';
import { printResult } from './print-result.ts';

const HIGHEST_CAP_BPS = 10_000;

export async function run(call: CommandCall): Promise<void> {
  const { app, out, argument: id, options, operator, reason } = call;
  const capBps = options['subsidyCapBps'] === undefined ? null : capIn(String(options['subsidyCapBps']));
  const action = capBps === null ? 'payments return' : `payments return --subsidy-cap-bps ${capBps}`;
  const returned = await returnPayment(app, {
    id,
    capBps,
    cause: { kind: 'operator', id: operator },
    inSameCommit: (tx, userId) =>
      auditOperator(tx, { operator, reason, action, target: id, userId, now: app.clock.now() }),
  });
  switch (returned.outcome) {
    case 'returning':
      return printResult(out, {
        changed: true,
        sentence: `${amount(returned.costMinor, 'BRL')} is converted back to ${amount(returned.homeDebitMinor, returned.currency)}, the exact debit. See: npm run ops -- show ${id}`,
      });
    case 'cap_changed':
      return printResult(out, {
        changed: true,
        sentence: 'The return uses this cap from its next attempt on. effects requeue tries it now.',
      });
    case 'under_way':
      return printResult(out, { changed: false, sentence: 'The payment is being returned already.' });
    case 'returned':
      return printResult(out, { changed: false, sentence: 'The payment has been returned already.' });
    default:
      throw new OpsFailure(sentenceOf(returned, id));
  }
}

function capIn(text: string): number {
  const capBps = Number(text);
  if (Number.isInteger(capBps) && capBps >= 0 && capBps <= HIGHEST_CAP_BPS) return capBps;
  throw new UsageError(`--subsidy-cap-bps takes a whole number from 0 to ${HIGHEST_CAP_BPS}.`);
}

type Refused = Exclude<Returned, { outcome: 'returning' | 'cap_changed' | 'under_way' | 'returned' }>;

function sentenceOf(refused: Refused, id: string): string {
  switch (refused.outcome) {
    case 'not_found':
      return noSuchPayment(id);
    case 'not_failed':
      return `The payment is ${refused.state}: only payout_failed can be returned.`;
    case 'too_early':
      return `The payout failed a short time ago, and may still be completed. It can be returned from ${moment(refused.from)} UTC on.`;
    case 'blocked':
      return `Nothing was changed: ${refused.why}.`;
    case 'changed_meanwhile':
      return `The payment changed meanwhile. See: npm run ops -- show ${id}`;
    case 'too_dear':
      return tooDear(refused);
  }
}

function tooDear({ marketMinor, heldMinor, capBps }: Extract<Refused, { outcome: 'too_dear' }>): string {
  if (marketMinor === null) return 'Nothing was changed: the provider gives no price for the exact debit.';
  const lacksMinor = Math.max(0, marketMinor - heldMinor);
  const lacksBps = Math.ceil((lacksMinor * 10_000) / marketMinor);
  return `Nothing was changed: the exact debit costs ${amount(marketMinor, 'BRL')}, which is ${amount(lacksMinor, 'BRL')} (${lacksBps} bps) more than the payment holds. The cap is ${capBps} bps; --subsidy-cap-bps raises it for this payment.`;
}
