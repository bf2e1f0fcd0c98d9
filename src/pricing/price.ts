// The price of a payment, for either flow.

import type { HomeCurrency } from '../domain/currency.ts';
import { Refusal } from '../domain/refusals.ts';
import { ProviderRefusal } from '../provider/errors.ts';
import type { Provider } from '../provider/port.ts';

/** The part of the provider that pricing needs. */
export type Quoting = Pick<Provider, 'createQuote'>;

export type Asked = { amountBrlMinor: number; sourceCurrency: HomeCurrency; serviceSpreadBps: number };

export type Price = {
  flow: 'direct' | 'two_hop';
  /** What will be debited, spread included, in minor units of the home currency. */
  sourceAmountMinor: number;
  /** What the first of two conversions will deliver, in USDC minor units; null where there is but one. */
  usdcQuotedMinor: number | null;
  /** Reais for one unit of the home currency, without the spread. */
  rate: string;
  /** The quote that is locked at the provider. */
  providerQuoteId: string;
  /** How long the provider's quote holds from its receipt, in milliseconds. */
  lifeMs: number;
};

/** The provider refuses a quote only for its amount; the user can request another. */
export async function orAmountNotSupported<Quote>(quote: Promise<Quote>): Promise<Quote> {
  try {
    return await quote;
  } catch (error) {
    const isNo = error instanceof ProviderRefusal && error.code === 'rejected';
    throw isNo ? new Refusal('amount_not_supported', undefined, { cause: error }) : error;
  }
}
