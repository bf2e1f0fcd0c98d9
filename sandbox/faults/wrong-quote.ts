// Quotes for a different amount or currency than requested. They are binding: a transfer at such a quote moves these amounts.
import { CURRENCIES, type Currency, PLACES, toMinor, writeAmount } from '../money.ts';
import type { Call } from '../provider/operation.ts';
import type { QuoteRow } from '../store/rows.ts';
import type { World } from '../world.ts';
import { anotherAmount } from './amounts.ts';
import { type Occurrence, recordInjected, shouldInject, subjectOf } from './occurrence.ts';

type Offer = Pick<
  QuoteRow,
  'source_currency' | 'source_amount' | 'destination_currency' | 'destination_amount'
>;

/** The quote as the provider offers it: correct, for a different amount or currency, or for nothing. */
export function offeredQuote(world: World, call: Call, quote: QuoteRow): QuoteRow {
  const occurrence = shouldInject(world, 'wrongQuote', call);
  if (!occurrence) return quote;
  const ordered = Object.keys(occurrence.details).length > 0;
  const offer = ordered ? orderedOffer(quote, occurrence.details) : anotherOffer(quote, occurrence);
  const about = { ...subjectOf(call), uuid: quote.uuid };
  recordInjected(world, 'wrongQuote', about, { should_be: summaryOf(quote), offered: summaryOf(offer) });
  const margin_amount = Math.min(quote.margin_amount, offer.source_amount);
  return { ...quote, ...offer, margin_amount };
}

function orderedOffer(quote: QuoteRow, details: Occurrence['details']): Offer {
  const side = (name: 'source' | 'destination') => {
    const currency = (details[`${name}_currency`] ?? quote[`${name}_currency`]) as Currency;
    const amount = details[`${name}_amount`];
    const asIs = scaled(quote[`${name}_amount`], quote[`${name}_currency`], currency);
    return [currency, amount === undefined ? asIs : toMinor(String(amount), currency)] as const;
  };
  const [source_currency, source_amount] = side('source');
  const [destination_currency, destination_amount] = side('destination');
  return { source_currency, source_amount, destination_currency, destination_amount };
}

/** Returns one of the four variants of a wrong quote. */
function anotherOffer(quote: QuoteRow, occurrence: Occurrence): Offer {
  const { source_currency, destination_currency, source_amount, destination_amount } = quote;
  const asIs: Offer = { source_currency, source_amount, destination_currency, destination_amount };
  const third =
    CURRENCIES.find((one) => one !== source_currency && one !== destination_currency) ?? source_currency;
  const variants: (() => Partial<Offer>)[] = [
    () => ({ destination_amount: anotherAmount(destination_amount, occurrence) }),
    () => ({ source_currency: third, source_amount: scaled(source_amount, source_currency, third) }),
    () => ({
      destination_currency: third,
      destination_amount: scaled(destination_amount, destination_currency, third),
    }),
    () => ({ source_amount: 0 }),
  ];
  const variant = variants[Math.min(Math.floor(occurrence.how * variants.length), variants.length - 1)];
  return { ...asIs, ...variant?.() };
}

/** The same figure in another currency's minor units. */
const scaled = (minor: number, from: Currency, to: Currency): number =>
  Math.round(minor * 10 ** (PLACES[to] - PLACES[from]));

const summaryOf = ({
  source_amount,
  source_currency,
  destination_amount,
  destination_currency,
}: Offer): string =>
  `${writeAmount(source_amount, source_currency)} ${source_currency} for ` +
  `${writeAmount(destination_amount, destination_currency)} ${destination_currency}`;
