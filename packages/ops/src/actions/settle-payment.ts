// Records what was settled with the user of a payment in manual_review outside the service. It takes two operators: the first call
// proposes, the second one confirms with the same figures.
import { parseDecimal } from '../../../../src/domain/money.ts';
import { type CommandCall, OpsFailure, UsageError } from '../command.ts';
import { amount, noSuchPayment, oneLine } from '../format.ts';
import { type SettlementCurrency, settlementCurrencies, settlePayment } from '../writes/settle-payment.ts';
import { printResult } from './print-result.ts';

export async function run({ app, out, argument: id, options, operator, reason }: CommandCall): Promise<void> {
  const currency = settlementCurrencies.find((one) => one === options['currency']);
  if (currency === undefined) throw new UsageError(`--currency takes ${settlementCurrencies.join(', ')}.`);
  const amountMinor = amountIn(String(options['amount']), currency);
  const reference = String(options['reference']).trim();
  if (reference === '') throw new UsageError('--reference must not be empty.');
  const result = await settlePayment(app, id, { amountMinor, currency, reference }, { operator, reason });
  const figures = `${amount(amountMinor, currency)}, ${oneLine(reference)}`;
  switch (result.outcome) {
    case 'proposed':
      return printResult(out, {
        changed: true,
        sentence: `It is proposed: ${figures}. Another operator confirms it with the same call.`,
      });
    case 'settled':
      return printResult(out, {
        changed: true,
        sentence: `It is settled: ${figures}. The user sees it, and the alarm has ended. No money was moved here.`,
      });
    case 'settled_before':
      return printResult(out, { changed: false, sentence: 'The payment was settled before.' });
    case 'differs':
      throw new OpsFailure(
        `${result.by} proposed ${amount(result.amountMinor, result.currency)}, ${oneLine(result.reference)}. Confirm these figures, or let ${result.by} propose others.`,
      );
    case 'wrong_currency':
      throw new OpsFailure(`This payment is settled in ${result.allowed.join(' or ')}.`);
    case 'not_in_review':
      throw new OpsFailure(`The payment is ${result.state}: only manual_review is settled.`);
    case 'not_found':
      throw new OpsFailure(noSuchPayment(id));
  }
}

function amountIn(text: string, currency: SettlementCurrency): number {
  try {
    const minor = parseDecimal(text, currency);
    if (minor > 0) return minor;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw new UsageError('--amount takes a positive amount with two decimal places, such as 35.82.');
}
