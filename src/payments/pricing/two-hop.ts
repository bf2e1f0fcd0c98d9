// Prices a payment with two conversions: two indicative quotes determine the home amount, and a third one locks it. Only the first
// conversion is locked. The spread is a buffer of USDC against market movements before the second one.
import { addSpreadMinor, composeRates } from '../../domain/rates.ts';
import { OutcomeUnknown } from '../../provider/errors.ts';
import { orAmountNotSupported, type Price, type PriceRequest, type Quoting } from './price.ts';

/**
 * Returns the price. If the first conversion delivers less USDC than the second one needs, the market moved between the quotes, and
 * all quotes are requested once more.
 * @throws OutcomeUnknown if a quote cannot be obtained, or if the second price has the same fault.
 */
export async function priceTwoHop(provider: Quoting, request: PriceRequest): Promise<Price> {
  const price = (await sellablePrice(provider, request)) ?? (await sellablePrice(provider, request));
  if (price !== null) return price;
  const what = 'the locked quote delivers less than the second conversion needs';
  throw new OutcomeUnknown('createQuote', what, { mayHaveActed: false });
}

/** Returns a price, or null if the locked quote delivers less USDC than the second conversion was quoted to need. */
async function sellablePrice(provider: Quoting, request: PriceRequest): Promise<Price | null> {
  const { amountBrlMinor, sourceCurrency, serviceSpreadBps } = request;
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
  // The source amount is fixed, so that debit and delivery match to the minor unit and a reversal at the same
  // rate restores the debit exactly.
  const locked = await orAmountNotSupported(
    provider.createQuote({
      sourceCurrency,
      destinationCurrency: 'USDC',
      sourceAmountMinor: indicative.sourceAmountMinor,
    }),
  );
  if (locked.destinationAmountMinor < toReais.sourceAmountMinor) return null;
  return {
    flow: 'two_hop',
    sourceAmountMinor: locked.sourceAmountMinor,
    usdcQuotedMinor: locked.destinationAmountMinor,
    rate: composeRates(locked.rate, toReais.rate),
    providerQuoteId: locked.providerRef,
    lifeMs: locked.lifeMs,
  };
}
