// The data of a machine event, as people read it: amounts with their currencies, the rest by its name.
import type { Currency } from '../../domain/currency.ts';
import { currenciesOf } from '../../lifecycle/legs.ts';
import { amount, oneLine } from '../format.ts';

type Currencies = { home: Currency; paysIn: Currency };

/** @returns text that follows the event's name and begins with a comma, or the empty string. */
export function amountsText(
  event: string,
  data: Record<string, unknown>,
  { home, paysIn }: Currencies,
): string {
  const {
    sourceAmountMinor: source,
    destinationAmountMinor: destination,
    amountMinor,
    // The receipt is shown above the history, and `attempted: true` is the rule.
    endToEndId: _endToEndId,
    voucherId: _voucherId,
    ...rest
  } = data;
  const [from, to] = currenciesOf(legOf(event), home);
  const parts = [
    ...(typeof source === 'number' && typeof destination === 'number'
      ? [`${amount(source, from)} -> ${amount(destination, to)}`]
      : []),
    ...(typeof amountMinor === 'number' ? [amount(amountMinor, paysIn)] : []),
    ...Object.entries(rest)
      .filter(([name, value]) => value !== null && !(name === 'attempted' && value === true))
      .map(
        ([name, value]) => `${name} ${oneLine(typeof value === 'string' ? value : JSON.stringify(value))}`,
      ),
  ];
  return parts.map((part) => `, ${part}`).join('');
}

function legOf(event: string): 'direct' | 'leg1' | 'leg2' | 'reverse' {
  const [leg] = event.split('.');
  return leg === 'leg1' || leg === 'leg2' || leg === 'reverse' ? leg : 'direct';
}
