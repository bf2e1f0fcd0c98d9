// Defines the currencies of each conversion of a payment.
import type { ConversionLeg } from '../../machines/effects.ts';
import type { Currency } from '../domain/currency.ts';

export function currenciesOf(leg: ConversionLeg, home: Currency): [Currency, Currency] {
  const pairs: Record<ConversionLeg, [Currency, Currency]> = {
    direct: [home, 'BRL'],
    leg1: [home, 'USDC'],
    leg2: ['USDC', 'BRL'],
    reverse: ['USDC', home],
    return: ['BRL', home],
    partial: ['BRL', home],
  };
  return pairs[leg];
}
