// The price of a payment, for both flows.

import type { HomeCurrency } from '../../domain/currency.ts';
import { Refusal } from '../../domain/refusals.ts';
import { ProviderRefusal } from '../../provider/errors.ts';
import type { Provider } from '../../provider/port.ts';

/** The part of the provider that pricing needs. */
export type Quoting = Pick<Provider, 'createQuote'>;

export type PriceRequest = { amountBrlMinor: number; sourceCurrency: HomeCurrency; serviceSpreadBps: number };

export type Price = {
  flow: 'direct' | 'two_hop';
  /** The amount that will be debited, including the spread, in minor units of the home currency. */
  sourceAmountMinor: number;
  /** The amount that the first of two conversions will deliver, in USDC minor units; null for a single conversion. */
  usdcQuotedMinor: number | null;
  /** Reais for one unit of the home currency, without the spread. */
  rate: string;
  providerQuoteId: string;
  /** How long the provider's quote is valid from its receipt, in milliseconds. */
  lifeMs: number;
};

/**
 * Maps the provider's refusal of a quote to `amount_not_supported`. The provider refuses a quote only for its amount, and the
 * user can request another amount.
 */
export async function orAmountNotSupported<Quote>(quote: Promise<Quote>): Promise<Quote> {
  try {
    return await quote;
  } catch (error) {
    const isNo = error instanceof ProviderRefusal && error.code === 'rejected';
    throw isNo ? new Refusal('amount_not_supported', undefined, { cause: error }) : error;
  }
}
