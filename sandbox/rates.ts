// Mid rates and the arithmetic of quotes: whole numbers throughout, exact until the one rounding at the end.
import { type Currency, PLACES } from './money.ts';
import { refuse } from './provider/refusal.ts';

/** The price of one unit in US dollars, with eight decimal places. */
const USD_E8: Record<Currency, bigint> = {
  GBP: 131_420_000n,
  EUR: 115_270_000n,
  USDC: 100_000_000n,
  BRL: 18_640_000n,
};

const E8 = 100_000_000n;
const BPS = 10_000n;

/** How many units of the destination one unit of the source buys, as text with eight decimal places, rounded half to even. */
export function midRate(source: Currency, destination: Currency): string {
  const digits = String(halfEven(USD_E8[source] * E8, USD_E8[destination])).padStart(9, '0');
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`;
}

export interface Price {
  source: number;
  destination: number;
  /** The company's part of the source amount. */
  margin: number;
  /** The amount that the company adds to the source amount. */
  subsidy: number;
}

export interface Market {
  source: Currency;
  destination: Currency;
  rate: string;
  markupBps: number;
}

/** Computes the source amount for a fixed destination amount: its price, rounded up, plus the markup. */
export function priceOfDestination(
  market: Market,
  destination: number,
  limit?: { max: number; capBps: number },
): Price {
  const [numerator, denominator] = fraction(market);
  // source = destination / rate, both in minor units
  const cost = ceil(BigInt(destination) * denominator, numerator);
  const price = ceil(BigInt(destination) * denominator * (BPS + BigInt(market.markupBps)), numerator * BPS);
  const subsidy = limit && price > BigInt(limit.max) ? price - BigInt(limit.max) : 0n;
  if (limit && subsidy * BPS > cost * BigInt(limit.capBps))
    throw refuse('rejected', 'the market asks for more than max_source_amount and the cap allow');
  return {
    source: Number(price - subsidy),
    destination,
    margin: Number(price - cost),
    subsidy: Number(subsidy),
  };
}

/** Computes the destination amount for a fixed source amount: the rest after the markup buys it, rounded down. */
export function priceOfSource(market: Market, source: number): Price {
  const [numerator, denominator] = fraction(market);
  const divisor = BPS + BigInt(market.markupBps);
  const destination = (BigInt(source) * numerator * BPS) / (denominator * divisor);
  const cost = ceil(BigInt(source) * BPS, divisor);
  if (destination === 0n) throw refuse('rejected', 'source_amount is too small to buy anything');
  return { source, destination: Number(destination), margin: source - Number(cost), subsidy: 0 };
}

/** The rate between minor units, as a fraction. */
function fraction({ source, destination, rate }: Market): [bigint, bigint] {
  const digits = BigInt(rate.replace('.', ''));
  return [digits * 10n ** BigInt(PLACES[destination]), E8 * 10n ** BigInt(PLACES[source])];
}

const ceil = (numerator: bigint, denominator: bigint) => (numerator + denominator - 1n) / denominator;

function halfEven(numerator: bigint, denominator: bigint): bigint {
  const down = numerator / denominator;
  const twice = (numerator % denominator) * 2n;
  return twice > denominator || (twice === denominator && down % 2n === 1n) ? down + 1n : down;
}
