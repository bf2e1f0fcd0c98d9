// Formats the data of a machine event for people: amounts with their currencies, other properties with their names.
import type { ConversionLeg } from '../../machines/effects.ts';
import type { Currency } from '../../src/domain/currency.ts';
import { currenciesOf } from '../../src/lifecycle/legs.ts';
import { amount, oneLine } from '../format.ts';

type Currencies = { home: Currency; paysIn: Currency };

/** Returns the text that follows the event's name. It starts with a comma, or is empty. */
export function amountsText(
  event: string,
  data: Record<string, unknown>,
  { home, paysIn }: Currencies,
): string {
  const {
    sourceAmountMinor: source,
    destinationAmountMinor: destination,
    amountMinor,
    homeDebitMinor,
    // The receipt is already shown above the history. `attempted: true` is the normal case and is omitted below.
    endToEndId: _endToEndId,
    voucherId: _voucherId,
    ...rest
  } = data;
  // A settlement may be in another currency than the payout. Other events with a currency have the payout's, which is shown below.
  const settledIn = event === 'settled' ? (data['currency'] as Currency) : null;
  const [from, to] = currenciesOf(legOf(event), home);
  const parts = [
    ...(typeof source === 'number' && typeof destination === 'number'
      ? [`${amount(source, from)} -> ${amount(destination, to)}`]
      : []),
    ...(typeof homeDebitMinor === 'number' ? [`to restore ${amount(homeDebitMinor, home)}`] : []),
    ...(typeof amountMinor === 'number' ? [amount(amountMinor, settledIn ?? paysIn)] : []),
    ...Object.entries(rest)
      .filter(([name, value]) => value !== null && !(name === 'attempted' && value === true))
      .map(
        ([name, value]) => `${name} ${oneLine(typeof value === 'string' ? value : JSON.stringify(value))}`,
      ),
  ];
  return parts.map((part) => `, ${part}`).join('');
}

function legOf(event: string): ConversionLeg {
  const [leg] = event.split('.');
  return leg === 'leg1' || leg === 'leg2' || leg === 'reverse' || leg === 'return' ? leg : 'direct';
}
