// Conversion of amounts at the edges: decimal text or a JSON number outside, whole minor units inside.
import { type Currency, minorPlaces } from './currency.ts';

const wellFormed = {
  2: /^(?:0|[1-9]\d{0,15})\.\d{2}$/,
  6: /^(?:0|[1-9]\d{0,15})\.\d{6}$/,
};

/**
 * Reads an amount as the provider writes it: plain digits, always with all the places of its currency.
 * @returns minor units of `currency`
 * @throws RangeError when the text is anything else, a negative amount included, or exceeds safe integers; such a reply
 *   breaks the provider's contract, so its outcome is unknown
 */
export function parseDecimal(text: string, currency: Currency): number {
  if (!wellFormed[minorPlaces[currency]].test(text)) throw new RangeError(`not an amount of ${currency}`);
  return assertWhole(Number(text.replace('.', '')));
}

/**
 * Writes an amount as the provider reads it, with all the places of its currency.
 * @param amountMinor minor units of `currency`
 * @throws RangeError when the amount is negative or no safe integer
 */
export function formatDecimal(amountMinor: number, currency: Currency): string {
  const places = minorPlaces[currency];
  const digits = String(assertWhole(amountMinor)).padStart(places + 1, '0');
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** From 2 ** 46 reais on, two neighbouring centavos can be the same double. */
const centavosBlurAt = 2 ** 46;

/**
 * Reads `amountBrl` as an app sends it. The number's shortest text decides, the one the sender wrote: there 0.07 and
 * 19.99 have two decimals, while dividing those doubles by 0.01 leaves a remainder.
 * @returns centavos, or null when the number is not positive, has more than two decimals, or is so large that a double
 *   no longer identifies the centavo
 */
export function brlMinorFromNumber(amountBrl: number): number | null {
  if (!(amountBrl > 0 && amountBrl < centavosBlurAt)) return null;
  const match = /^(\d+)(?:\.(\d{1,2}))?$/.exec(String(amountBrl));
  return match === null ? null : Number(`${match[1]}${(match[2] ?? '').padEnd(2, '0')}`);
}

/**
 * Asserts a whole number, in minor units or basis points, say, and returns it.
 * @throws RangeError when `value` is negative or no safe integer: a defect of the caller
 */
export function assertWhole(value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new RangeError('not a whole number between zero and the largest safe integer');
}
