// Exchange rates as decimal text with 8 places, and the amounts computed from them.
import { Big } from 'big.js';
import { type Currency, minorPlaces } from './currency.ts';
import { assertWhole } from './money.ts';

/** A constructor of our own, unaffected by settings elsewhere: quotients are whole and rounded up. */
const Decimal = Big();
Decimal.DP = 0;
Decimal.RM = Decimal.roundUp;

const ratePlaces = 8;
const wholeBps = 10_000;

/**
 * Rounds a rate (units of the destination for one of the source, spread excluded) to 8 places, half even.
 * @throws RangeError when the text is no plain decimal, or rounds to zero
 */
export function normaliseRate(text: string): string {
  return toRate(parseRate(text));
}

/**
 * The one rate a customer sees of a conversion in two hops: their product, rounded once.
 * @throws RangeError as {@link normaliseRate}
 */
export function composeRates(homeToUsdc: string, usdcToBrl: string): string {
  return toRate(parseRate(homeToUsdc).times(parseRate(usdcToBrl)));
}

/**
 * What the payer is charged: amountBrl / rate * (1 + spread), rounded up to the minor unit.
 * @param quote `rate` is units of BRL for one of the source; `serviceSpreadBps` is hundredths of a per cent
 * @returns minor units of `sourceCurrency`
 * @throws RangeError when a figure is malformed or the result exceeds safe integers
 */
export function sourceAmountMinor(quote: {
  amountBrlMinor: number;
  rate: string;
  serviceSpreadBps: number;
  sourceCurrency: Currency;
}): number {
  const scale = new Decimal(10).pow(minorPlaces[quote.sourceCurrency] - minorPlaces.BRL);
  const charged = withSpread(quote.amountBrlMinor, quote.serviceSpreadBps).times(scale);
  const amountMinor = charged.div(parseRate(quote.rate).times(wholeBps));
  return assertWhole(amountMinor.toNumber());
}

/**
 * Adds the spread to an amount of any currency, rounded up.
 * @param bps hundredths of a per cent
 * @returns minor units of the same currency
 * @throws RangeError when a figure is malformed or the result exceeds safe integers
 */
export function addSpreadMinor(amountMinor: number, bps: number): number {
  return assertWhole(withSpread(amountMinor, bps).div(wholeBps).toNumber());
}

type Amount = { currency: Currency; minor: number };

/** In addition to whole units: a rate is stated with fewer places than it was computed with. */
const toldRoundedBps = 1;

/**
 * Whether one amount is the price of the other at a rate, spread included, up to a unit of either and a basis point.
 * @param price `rate` is units of the destination for one of the source; `source` includes the spread
 * @throws RangeError when a figure is malformed
 */
export function isPriced(price: {
  source: Amount;
  destination: Amount;
  rate: string;
  spreadBps: number;
}): boolean {
  const { source, destination, spreadBps } = price;
  // Both sides in one unit, without a quotient: what the source buys, and what the destination costs.
  const perSourceUnit = parseRate(price.rate)
    .times(wholeBps)
    .times(new Decimal(10).pow(minorPlaces[destination.currency]));
  const perDestinationUnit = withSpread(1, spreadBps).times(
    new Decimal(10).pow(minorPlaces[source.currency]),
  );
  const bought = perSourceUnit.times(assertWhole(source.minor));
  const cost = perDestinationUnit.times(assertWhole(destination.minor));
  const allowed = perSourceUnit.plus(perDestinationUnit).plus(cost.times(`${toldRoundedBps}e-4`));
  return bought.minus(cost).abs().lte(allowed);
}

/** The rate for the API's number fields. For display only: arithmetic starts from the text. */
export function rateNumber(rate: string): number {
  return parseRate(rate).toNumber();
}

/** In ten-thousandths of a minor unit, so that the one division comes last. */
function withSpread(amountMinor: number, bps: number): Big {
  return new Decimal(assertWhole(amountMinor)).times(wholeBps + assertWhole(bps));
}

function parseRate(text: string): Big {
  if (!/^\d{1,15}(?:\.\d{1,30})?$/.test(text)) throw new RangeError('not a rate');
  const rate = new Decimal(text);
  if (rate.eq(0)) throw new RangeError('a rate must be positive');
  return rate;
}

function toRate(value: Big): string {
  const rate = value.toFixed(ratePlaces, Decimal.roundHalfEven);
  if (Number(rate) === 0) throw new RangeError('a rate must be positive');
  return rate;
}
