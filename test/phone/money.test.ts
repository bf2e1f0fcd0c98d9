// How the phone reads and writes amounts.
import { expect, test } from 'vitest';
import {
  decimalOf,
  effectiveRateOf,
  formatBrl,
  formatMinor,
  formatRate,
  readAmount,
} from '../../phone/app/money.ts';

test.each([
  ['12', 1_200],
  ['12.5', 1_250],
  ['12.50', 1_250],
  ['12,50', 1_250],
  ['1,250.00', 125_000],
  ['1,250', 125_000],
  ['£ 10.05', 1_005],
  ['R$ 19.99', 1_999],
  ['0.07', 7],
  ['70368744177.63', 7_036_874_417_763],
])('the typed amount %s is read as %d minor units', (text, minor) => {
  expect(readAmount(text)).toBe(minor);
});

test.each(['', '0', '0.00', '-1', '1.005', '1.2.3', 'ten', '1e3', '12,345.6.7', '.5'])(
  'the typed text %j is not an amount',
  (text) => {
    expect(readAmount(text)).toBeNull();
  },
);

test.each([
  [1_050, 'GBP', '£10.50'],
  [7, 'EUR', '€0.07'],
  [123_456_789, 'GBP', '£1,234,567.89'],
  [Number.MAX_SAFE_INTEGER, 'GBP', '£90,071,992,547,409.91'],
  [-5, 'GBP', '-£0.05'],
])('%d minor units of %s are shown as %s', (minor, currency, shown) => {
  expect(formatMinor(minor, currency)).toBe(shown);
});

test('reais are shown as the text of the API, to the last centavo', () => {
  expect(formatBrl('70368744177663.99')).toBe('R$70,368,744,177,663.99');
});

test.each([1, 99, 100, 1_005, Number.MAX_SAFE_INTEGER])(
  '%d minor units are read as they were written',
  (minor) => {
    expect(readAmount(decimalOf(minor))).toBe(minor);
  },
);

test.each([
  ['150.00', 2_127, 'GBP', '1 GBP = 7.0522 BRL'],
  ['0.01', 1, 'EUR', '1 EUR = 1.0000 BRL'],
])('%s reais for %d minor units are the rate that a person reads', (amountBrl, cost, currency, read) => {
  expect(formatRate(effectiveRateOf(amountBrl, cost), currency)).toBe(read);
});
