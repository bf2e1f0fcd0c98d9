// Money as people read and write it, in their language. Amounts are integers of minor units, and never become binary fractions.
import { language, locale } from './texts/language.ts';
import { t } from './texts/t.ts';

/** Formats `1050` pence as `£10.50`, or in Portuguese as `£ 10,50`. */
export const formatMinor = (amountMinor: number, currency: string): string =>
  formatDecimal(decimalOf(amountMinor), currency);

/**
 * Formats `250.00` as `R$250.00`, or in Portuguese as `R$ 250,00`.
 * @param amountBrl decimal text.
 */
export const formatBrl = (amountBrl: string): string => formatDecimal(amountBrl, 'BRL');

const formatDecimal = (amount: string, currency: string): string =>
  new Intl.NumberFormat(locale, { style: 'currency', currency }).format(amount as Intl.StringNumericLiteral);

/**
 * Formats a rate as `1 GBP = 7.0522 BRL`, or in Portuguese as `1 GBP = 7,0522 BRL`.
 * @param rate reais for one unit of the currency.
 */
export const formatRate = (rate: number, currency: string): string =>
  `1 ${currency} = ${typedOf(rate.toFixed(4))} BRL`;

/** Formats `125` basis points as `1.25 %`, or in Portuguese as `1,25%`. */
export const formatPercent = (bps: number): string =>
  t('{percent} %', { percent: typedOf(String(bps / 100)) });

/**
 * Returns the reais for one unit of the home currency with everything included. It is for display only.
 * @param amountBrl decimal text.
 * @param sourceAmountMinor the whole cost, above zero.
 */
export const effectiveRateOf = (amountBrl: string, sourceAmountMinor: number): number =>
  (Number(amountBrl) * 100) / sourceAmountMinor;

/** Writes decimal text as a person types it: `25.00`, or in Portuguese `25,00`. */
export const typedOf = (decimal: string): string =>
  language === 'pt-BR' ? decimal.replace('.', ',') : decimal;

/** Returns decimal text with two places. */
export function decimalOf(amountMinor: number): string {
  const digits = String(Math.abs(amountMinor)).padStart(3, '0');
  return `${amountMinor < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/**
 * @param text as typed: `12`, `12.5`, `12,50`, `1,250.00`, and in Portuguese also `1.250` and `1.250,00`.
 * @returns minor units, or null if the text is not an amount above zero.
 */
export function readAmount(text: string): number | null {
  const bare = text.replaceAll(/[\s£€]|R\$/g, '');
  const { whole = '', cents = '' } =
    /^(?<whole>\d{1,14})(\.(?<cents>\d{1,2}))?$/.exec(decimalIn(bare))?.groups ?? {};
  const minor = Number(whole + cents.padEnd(2, '0'));
  return minor > 0 && Number.isSafeInteger(minor) ? minor : null;
}

/** Returns the text with a decimal point and without separators of thousands, if that is clear. */
function decimalIn(text: string): string {
  if (/^\d+,\d{1,2}$/.test(text)) return text.replace(',', '.');
  if (language === 'pt-BR') {
    if (/^[1-9]\d{0,2}(\.\d{3})+(,\d{1,2})?$/.test(text)) return text.replaceAll('.', '').replace(',', '.');
    // To a Brazilian, `1,250` is a little more than one, and to an English reader more than a thousand.
    if (/^\d{1,3},\d{3}$/.test(text)) return text;
  }
  return /^\d{1,3}(,\d{3})+(\.\d{1,2})?$/.test(text) ? text.replaceAll(',', '') : text;
}
