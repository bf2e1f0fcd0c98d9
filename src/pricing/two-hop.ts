// The price of the two-conversion flow: two indicative quotes find the home amount, and a third one locks it. Only the
// first conversion is locked; the spread is a buffer of USDC for what the market does before the second.
import { addSpreadMinor, composeRates } from '../domain/rates.ts';
import { OutcomeUnknown } from '../provider/errors.ts';
import { type Asked, orAmountNotSupported, type Price, type Quoting } from './price.ts';

/**
 * A price whose first conversion delivers less USDC than the second one needs is not sold: the market moved between the quotes,
 * and the quotes are taken once more.
 * @throws OutcomeUnknown when one of the quotes cannot be obtained, or the second price cannot be paid either.
 */
export async function priceTwoHop(provider: Quoting, asked: Asked): Promise<Price> {
  const price = (await sellablePrice(provider, asked)) ?? (await sellablePrice(provider, asked));
  if (price === null)
    throw new OutcomeUnknown(
      'createQuote',
      'the locked quote delivers less than the second conversion needs',
      {
        mayHaveActed: false,
      },
    );
  return price;
}

/** @returns null if the locked quote delivers less USDC than the second conversion was quoted to need. */
async function sellablePrice(provider: Quoting, asked: Asked): Promise<Price | null> {
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
