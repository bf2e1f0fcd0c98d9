// Money as people read and write it. Amounts are integers of minor units, and never become binary fractions.

/** Formats `1050` pence as `£10.50`. */
export const formatMinor = (amountMinor: number, currency: string): string =>
  new Intl.NumberFormat('en-GB', { style: 'currency', currency }).format(
    decimalOf(amountMinor) as Intl.StringNumericLiteral,
  );

/**
 * Formats `250.00` as `R$250.00`.
 * @param amountBrl decimal text.
 */
export const formatBrl = (amountBrl: string): string =>
  new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'BRL' }).format(
    amountBrl as Intl.StringNumericLiteral,
  );

/**
 * Formats a rate as `1 GBP = 7.0522 BRL`.
 * @param rate reais for one unit of the currency.
 */
export const formatRate = (rate: number, currency: string): string =>
  `1 ${currency} = ${rate.toFixed(4)} BRL`;

/**
 * Returns the reais for one unit of the home currency with everything included. It is for display only.
 * @param amountBrl decimal text.
 * @param sourceAmountMinor the whole cost, above zero.
 */
export const effectiveRateOf = (amountBrl: string, sourceAmountMinor: number): number =>
  (Number(amountBrl) * 100) / sourceAmountMinor;

/** Returns decimal text with two places. */
export function decimalOf(amountMinor: number): string {
  const digits = String(Math.abs(amountMinor)).padStart(3, '0');
  return `${amountMinor < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/**
 * @param text as typed: `12`, `12.5`, `12,50`, `1,250.00`.
 * @returns minor units, or null if the text is not an amount above zero.
 */
export function readAmount(text: string): number | null {
  const bare = text.replaceAll(/[\s£€]|R\$/g, '');
  const decimal = /^\d+,\d{1,2}$/.test(bare) ? bare.replace(',', '.') : withoutThousands(bare);
  const { whole = '', cents = '' } = /^(?<whole>\d{1,14})(\.(?<cents>\d{1,2}))?$/.exec(decimal)?.groups ?? {};
  const minor = Number(whole + cents.padEnd(2, '0'));
  return minor > 0 && Number.isSafeInteger(minor) ? minor : null;
}

const withoutThousands = (text: string): string =>
  /^\d{1,3}(,\d{3})+(\.\d{1,2})?$/.test(text) ? text.replaceAll(',', '') : text;
