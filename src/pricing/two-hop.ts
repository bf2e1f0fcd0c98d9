// The price of the two-conversion flow: two indicative quotes find the home amount, and a third one locks it. Only the
// first conversion is locked; the spread is a buffer of USDC for what the market does before the second.
import { addSpreadMinor, composeRates } from '../domain/rates.ts';
import type { Provider } from '../provider/port.ts';
import { type Asked, orAmountNotSupported, type Price } from './price.ts';

/** @throws OutcomeUnknown when one of the quotes cannot be obtained. */
export async function priceTwoHop(provider: Provider, asked: Asked): Promise<Price> {
  const { amountBrlMinor, sourceCurrency, serviceSpreadBps } = asked;
  const toReais = await orAmountNotSupported(
    provider.createQuote({
      sourceCurrency: 'USDC',
      destinationCurrency: 'BRL',
      destinationAmountMinor: amountBrlMinor,
    }),
  );
  const indicative = await orAmountNotSupported(
    provider.createQuote({
      sourceCurrency,
      destinationCurrency: 'USDC',
      destinationAmountMinor: addSpreadMinor(toReais.sourceAmountMinor, serviceSpreadBps),
    }),
  );
  // With the source amount fixed, so that the debit and the delivery belong together to the last unit, and a reversal at
  // the same rate restores the debit exactly.
  const locked = await orAmountNotSupported(
    provider.createQuote({
      sourceCurrency,
      destinationCurrency: 'USDC',
      sourceAmountMinor: indicative.sourceAmountMinor,
    }),
  );
  return {
    flow: 'two_hop',
    sourceAmountMinor: locked.sourceAmountMinor,
    usdcQuotedMinor: locked.destinationAmountMinor,
    rate: composeRates(locked.rate, toReais.rate),
    providerQuoteId: locked.providerRef,
    lifeMs: locked.lifeMs,
  };
}
