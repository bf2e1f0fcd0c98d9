// Converts amounts at the boundaries of the service: decimal text or a JSON number outside, whole minor units inside.
import { type Currency, minorPlaces } from './currency.ts';

const wellFormed = {
  2: /^(?:0|[1-9]\d{0,15})\.\d{2}$/,
  6: /^(?:0|[1-9]\d{0,15})\.\d{6}$/,
};

/**
 * Parses an amount as the provider writes it: plain digits, always with all decimal places of its currency.
 * @returns minor units of `currency`
 * @throws RangeError if the text has any other form (a negative amount included), or exceeds safe integers. Such a reply violates
 *   the provider's contract, so the outcome of the call is unknown
 */
export function parseDecimal(text: string, currency: Currency): number {
  if (!wellFormed[minorPlaces[currency]].test(text)) throw new RangeError(`not an amount of ${currency}`);
  return assertWhole(Number(text.replace('.', '')));
}

/**
 * Formats an amount as the provider reads it, with all decimal places of its currency.
 * @param amountMinor minor units of `currency`
 * @throws RangeError if the amount is negative or not a safe integer
 */
export function formatDecimal(amountMinor: number, currency: Currency): string {
  const places = minorPlaces[currency];
  const digits = String(assertWhole(amountMinor)).padStart(places + 1, '0');
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** From 2 ** 46 reais on, two neighbouring centavos can be the same double. */
const centavosBlurAt = 2 ** 46;

/**
 * Converts `amountBrl` from a JSON number. It uses the number's shortest decimal text, which is the text that the sender wrote:
 * 0.07 and 19.99 have two decimals there, while dividing these doubles by 0.01 leaves a remainder.
 * @returns centavos, or null if the number is not positive, has more than two decimals, or is so large that a double
 *   no longer identifies the centavo
 */
export function brlMinorFromNumber(amountBrl: number): number | null {
  if (!(amountBrl > 0 && amountBrl < centavosBlurAt)) return null;
  const match = /^(\d+)(?:\.(\d{1,2}))?$/.exec(String(amountBrl));
  return match === null ? null : Number(`${match[1]}${(match[2] ?? '').padEnd(2, '0')}`);
}

/**
 * Converts reais from decimal text with at most two places, whose form the contract checks.
 * @returns centavos. Above safe integers, it is the nearest double: more than any amount that is stored.
 */
export function brlMinorFromText(amountBrl: string): number {
  const [reais = '', centavos = ''] = amountBrl.split('.');
  return Number(`${reais}${centavos.padEnd(2, '0')}`);
}

/**
 * Asserts that a value is a whole number (for example of minor units or basis points) and returns it.
 * @throws RangeError if `value` is negative or not a safe integer, which is a defect of the caller
 */
export function assertWhole(value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new RangeError('not a whole number between zero and the largest safe integer');
}
