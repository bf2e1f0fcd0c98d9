import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import document from '../../openapi/generated/openapi.json' with { type: 'json' };
import { type Currency, minorPlaces } from '../../src/domain/currency.ts';
import { brlMinorFromNumber, brlMinorFromText, formatDecimal, parseDecimal } from '../../src/domain/money.ts';

const currencies = Object.keys(minorPlaces) as Currency[];
const largest = Number.MAX_SAFE_INTEGER;

test.each<[string, Currency, number]>([
  ['0.00', 'GBP', 0],
  ['0.01', 'EUR', 1],
  ['100.00', 'BRL', 10_000],
  ['19.99', 'GBP', 1999],
  ['0.000001', 'USDC', 1],
  ['20.015000', 'USDC', 20_015_000],
  ['90071992547409.91', 'BRL', largest],
  ['9007199254.740991', 'USDC', largest],
])('%s %s is %d minor units, and is written back the same', (text, currency, amountMinor) => {
  expect(parseDecimal(text, currency)).toBe(amountMinor);
  expect(formatDecimal(amountMinor, currency)).toBe(text);
});

test.each<[string, Currency]>([
  ['', 'GBP'],
  ['1', 'GBP'],
  ['1.0', 'GBP'],
  ['1.000', 'GBP'],
  ['1.00', 'USDC'],
  ['+1.000000', 'USDC'],
  ['1.000000\n', 'USDC'],
  ['1.0000000', 'USDC'],
  ['.50', 'GBP'],
  ['01.00', 'GBP'],
  ['-1.00', 'GBP'],
  ['+1.00', 'GBP'],
  ['1e2', 'GBP'],
  ['1,00', 'GBP'],
  [' 1.00', 'GBP'],
  ['1.00\n', 'GBP'],
  ['١.٠٠', 'GBP'],
  ['NaN', 'GBP'],
  ['90071992547409.92', 'BRL'],
  ['9007199254.740992', 'USDC'],
  [`${'9'.repeat(100_000)}.00`, 'BRL'],
])('the text %j is not an amount of %s', (text, currency) => {
  expect(() => parseDecimal(text, currency)).toThrow(RangeError);
});

test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, largest + 1])(
  'the amount %d is never written',
  (amountMinor) => {
    expect(() => formatDecimal(amountMinor, 'GBP')).toThrow(RangeError);
  },
);

test('every amount is the same after it was written and parsed', () => {
  const amounts = fc.record({ amountMinor: fc.maxSafeNat(), currency: fc.constantFrom(...currencies) });
  fc.assert(
    fc.property(amounts, ({ amountMinor, currency }) => {
      const text = formatDecimal(amountMinor, currency);
      expect(text.split('.')[1]).toHaveLength(minorPlaces[currency]);
      expect(parseDecimal(text, currency)).toBe(amountMinor);
    }),
  );
});

test.each([
  [0.01, 1],
  [0.07, 7],
  [0.1, 10],
  [19.99, 1999],
  [1.1, 110],
  [4.35, 435],
  [100, 10_000],
  [1_000_000.01, 100_000_001],
  [70_368_744_177_663.99, 7_036_874_417_766_399],
])('the amount %d in reais is %d centavos', (amountBrl, amountBrlMinor) => {
  expect(brlMinorFromNumber(amountBrl)).toBe(amountBrlMinor);
});

test.each([
  0,
  -0,
  -1,
  -0.01,
  0.001,
  19.999,
  1.005,
  0.1 + 0.2,
  1e-7,
  5e-324,
  2 ** 46,
  largest,
  1e21,
  1e300,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
])('the amount %d in reais is refused', (amountBrl) => {
  expect(brlMinorFromNumber(amountBrl)).toBeNull();
});

test('every amount that an app writes with two decimals is read as written', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 46 * 100 - 1 }), (amountBrlMinor) => {
      const written: unknown = JSON.parse(formatDecimal(amountBrlMinor, 'BRL'));
      expect(brlMinorFromNumber(written as number)).toBe(amountBrlMinor);
    }),
  );
});

test('the contract accepts amounts up to the largest that can be read', () => {
  const { maximum } = document.components.schemas.PixQuoteRequest.properties.amountBrl;
  expect(brlMinorFromNumber(maximum)).toBe(2 ** 46 * 100 - 1);
});

test('every accepted amount is a whole, positive, safe number', () => {
  fc.assert(
    fc.property(fc.double(), (amountBrl) => {
      const amountBrlMinor = brlMinorFromNumber(amountBrl) ?? 1;
      expect(Number.isSafeInteger(amountBrlMinor) && amountBrlMinor > 0).toBe(true);
    }),
  );
});

test.each([
  ['0', 0],
  ['0.07', 7],
  ['1', 100],
  ['1.5', 150],
  ['19.99', 1_999],
  ['70368744177663.99', 7_036_874_417_766_399],
  ['99999999999999.99', 10_000_000_000_000_000],
])('%s reais are %d centavos', (text, centavos) => {
  expect(brlMinorFromText(text)).toBe(centavos);
});
