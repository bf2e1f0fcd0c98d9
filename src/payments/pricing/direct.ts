// Prices a payment with one conversion: one quote of the provider for a fixed amount in reais, with our spread as its markup.
import { orAmountNotSupported, type Price, type PriceRequest, type Quoting } from './price.ts';

/** Returns the price. @throws OutcomeUnknown if no quote can be obtained. */
export async function priceDirect(provider: Quoting, request: PriceRequest): Promise<Price> {
  const quote = await orAmountNotSupported(
    provider.createQuote({
      sourceCurrency: request.sourceCurrency,
      destinationCurrency: 'BRL',
      destinationAmountMinor: request.amountBrlMinor,
      markupBps: request.serviceSpreadBps,
    }),
  );
  return {
    flow: 'direct',
    sourceAmountMinor: quote.sourceAmountMinor,
    usdcQuotedMinor: null,
    rate: quote.rate,
    providerQuoteId: quote.providerRef,
    lifeMs: quote.lifeMs,
  };
}
