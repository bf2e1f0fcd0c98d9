// Exchange rates as decimal text with 8 decimal places, and the amounts computed from them.
import { Big } from 'big.js';
import { type Currency, minorPlaces } from './currency.ts';
import { assertWhole } from './money.ts';

/** A constructor that settings elsewhere do not change: quotients are whole numbers, rounded up. */
const Decimal = Big();
Decimal.DP = 0;
Decimal.RM = Decimal.roundUp;

const ratePlaces = 8;

/** A constructor whose quotients are rates. */
const RateQuotient = Big();
RateQuotient.DP = ratePlaces;
RateQuotient.RM = RateQuotient.roundHalfEven;

const wholeBps = 10_000;

/**
 * Rounds a rate to 8 decimal places, half to even. A rate is units of the destination currency for one unit of
 * the source, without the spread.
 * @throws RangeError if the text is not a plain decimal, or rounds to zero
 */
export function normaliseRate(text: string): string {
  return toRate(parseRate(text));
}

/**
 * Returns the one rate that the customer sees of a conversion in two hops: the product of both rates, rounded once.
 * @throws RangeError if a rate is not a plain decimal, or the product rounds to zero
 */
export function composeRates(homeToUsdc: string, usdcToBrl: string): string {
  return toRate(parseRate(homeToUsdc).times(parseRate(usdcToBrl)));
}

/**
 * Returns the amount that the payer is charged: amountBrl / rate * (1 + spread), rounded up to the minor unit.
 * @param quote `rate` is units of BRL for one unit of the source currency; `serviceSpreadBps` is hundredths of a per cent
 * @returns minor units of `sourceCurrency`
 * @throws RangeError if a figure is malformed or the result exceeds safe integers
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
 * @throws RangeError if a figure is malformed or the result exceeds safe integers
 */
export function addSpreadMinor(amountMinor: number, bps: number): number {
  return assertWhole(withSpread(amountMinor, bps).div(wholeBps).toNumber());
}

type Price = {
  amountBrlMinor: number;
  /** BRL for one unit of `sourceCurrency`, without the fee. */
  rate: string;
  /** The charge to the payer with the fee, in minor units of `sourceCurrency`. */
  sourceAmountMinor: number;
  sourceCurrency: Currency;
};

/**
 * Returns the fee in a price: the source amount minus the BRL at the rate, rounded up to the minor unit. It is zero if the source
 * amount is less, because the provider rounded the rate that it states.
 * @returns minor units of `sourceCurrency`
 * @throws RangeError if a figure is malformed
 */
export function feeAmountMinor(price: Price): number {
  const atRate = inUnitsOf(price.sourceCurrency, price.amountBrlMinor).div(parseRate(price.rate));
  const fee = new Decimal(assertWhole(price.sourceAmountMinor)).minus(atRate);
  return fee.lt(0) ? 0 : fee.toNumber();
}

/**
 * Returns BRL for one unit of the source currency with the fee included, rounded to 8 decimal places, half to even. The rate of a
 * price that buys almost no BRL can round to zero.
 * @throws RangeError if an amount is malformed
 */
export function effectiveRate(price: Omit<Price, 'rate'>): string {
  const bought = new RateQuotient(inUnitsOf(price.sourceCurrency, price.amountBrlMinor));
  return bought.div(assertWhole(price.sourceAmountMinor)).toFixed(ratePlaces);
}

/** Returns an amount of BRL as the same number of minor units of another currency, as if both had the same value. */
const inUnitsOf = (currency: Currency, amountBrlMinor: number): Big =>
  new Decimal(assertWhole(amountBrlMinor)).times(
    new Decimal(10).pow(minorPlaces[currency] - minorPlaces.BRL),
  );

type Amount = { currency: Currency; minor: number };

/**
 * The tolerance for rounded rates, in addition to one unit of each amount: the provider states a rate with
 * fewer decimal places than it used.
 */
const toldRoundedBps = 1;

/**
 * Returns whether one amount is the price of the other at a rate, including the spread. The tolerance is one minor unit of
 * each amount plus one basis point.
 * @param price `rate` is units of the destination currency for one unit of the source; `source` includes the spread
 * @throws RangeError if a figure is malformed
 */
export function isPriced(price: {
  source: Amount;
  destination: Amount;
  rate: string;
  spreadBps: number;
}): boolean {
  const { source, destination, spreadBps } = price;
  // Compare what the source buys with what the destination costs, both in one unit, so that no division is needed.
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

/** Returns the rate for the API's number fields. It is for display only: arithmetic uses the text. */
export function rateNumber(rate: string): number {
  return parseRate(rate).toNumber();
}

/** Returns the amount with the spread, in ten-thousandths of a minor unit, so that the only division comes last. */
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
