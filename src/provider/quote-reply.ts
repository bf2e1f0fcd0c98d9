// Validates a quote against its request. A quote for other currencies or amounts is an unknown outcome: the caller requests another
// one, and no user is offered a price that was never requested.
import type { Currency } from '../domain/currency.ts';
import { isPriced } from '../domain/rates.ts';
import { OutcomeUnknown } from './errors.ts';
import type { ProviderQuote, QuoteRequest } from './port.ts';

/** A quote, with the properties of its request that the reply repeats. */
export type QuoteReply = Omit<ProviderQuote, 'lifeMs'> & {
  /** The end of the quote by the provider's clock. */
  expiresAt: Date;
  sourceCurrency: Currency;
  destinationCurrency: Currency;
  markupBps: number;
  subsidyMinor: number;
};

/**
 * Asserts that a quote answers the request.
 * @throws OutcomeUnknown if it does not.
 */
export function asRequested(request: QuoteRequest, reply: QuoteReply): QuoteReply {
  const differing = rules.find(({ holds }) => !holds(request, reply));
  if (differing) throw new OutcomeUnknown('createQuote', `the quote ${differing.otherwise}`);
  return reply;
}

/** The rules that a quote must follow. Their texts go to the log, so they have no figures. */
const rules: { otherwise: string; holds: (request: QuoteRequest, reply: QuoteReply) => boolean }[] = [
  {
    otherwise: 'is between other currencies',
    holds: (request, { sourceCurrency, destinationCurrency }) =>
      sourceCurrency === request.sourceCurrency && destinationCurrency === request.destinationCurrency,
  },
  {
    otherwise: 'is for another amount',
    holds: (request, { sourceAmountMinor, destinationAmountMinor }) =>
      'sourceAmountMinor' in request
        ? sourceAmountMinor === request.sourceAmountMinor
        : destinationAmountMinor === request.destinationAmountMinor,
  },
  {
    otherwise: 'moves nothing',
    holds: (_, { sourceAmountMinor, destinationAmountMinor }) =>
      sourceAmountMinor > 0 && destinationAmountMinor > 0,
  },
  {
    otherwise: 'has another markup',
    holds: (request, { markupBps }) => markupBps === (request.markupBps ?? 0),
  },
  {
    otherwise: 'has amounts that are not at its rate',
    holds: (_, reply) =>
      isPriced({
        source: { currency: reply.sourceCurrency, minor: reply.sourceAmountMinor + reply.subsidyMinor },
        destination: { currency: reply.destinationCurrency, minor: reply.destinationAmountMinor },
        rate: reply.rate,
        spreadBps: reply.markupBps,
      }),
  },
  { otherwise: 'has a subsidy beyond its limits', holds: isSubsidyWithin },
];

function isSubsidyWithin(request: QuoteRequest, { sourceAmountMinor, subsidyMinor }: QuoteReply): boolean {
  const limit = 'subsidy' in request ? request.subsidy : undefined;
  if (limit === undefined) return subsidyMinor === 0;
  // The provider rounds the market price up, so the price and the subsidy may each be one minor unit higher.
  const isCapped = (subsidyMinor - 1) * 10_000 <= (sourceAmountMinor + subsidyMinor) * limit.capBps;
  return sourceAmountMinor <= limit.maxSourceAmountMinor && isCapped;
}
