import { Big } from 'big.js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addSpreadMinor,
  composeRates,
  effectiveRate,
  feeAmountMinor,
  isPriced,
  normaliseRate,
  rateNumber,
  sourceAmountMinor,
} from '../../src/domain/rates.ts';

/** A rate as a whole number of 10 ** -8. `textOf` writes it as text. */
const units = fc.bigInt({ min: 1n, max: 10n ** 13n });
const textOf = (rateUnits: bigint) =>
  `${rateUnits / 10n ** 8n}.${String(rateUnits % 10n ** 8n).padStart(8, '0')}`;
const ceilDiv = (dividend: bigint, divisor: bigint) => (dividend + divisor - 1n) / divisor;
const bpsValues = fc.integer({ min: 0, max: 10_000 });

test.each([
  ['7', '7.00000000'],
  ['6.25', '6.25000000'],
  ['1.000000005', '1.00000000'],
  ['1.000000015', '1.00000002'],
  ['1.0000000050001', '1.00000001'],
  ['0.000000015', '0.00000002'],
  ['007.10', '7.10000000'],
])('the rate %s becomes %s', (text, rate) => {
  expect(normaliseRate(text)).toBe(rate);
});

test.each([
  '',
  '0',
  '0.00',
  '0.000000005',
  '-1',
  '1e3',
  '.5',
  '5.',
  '1,5',
  'NaN',
  ' 1',
  '1\n',
  '9'.repeat(99_999),
])('the text %j is not a rate', (text) => {
  expect(() => normaliseRate(text)).toThrow(RangeError);
});

test.each([
  ['1.27000000', '5.50000000', '6.98500000'],
  ['1.23456789', '5.43210987', '6.70630842'],
  ['0.00010000', '0.00015000', '0.00000002'],
  ['0.00010000', '0.00025000', '0.00000002'],
])('the rate %s times %s is %s', (homeToUsdc, usdcToBrl, rate) => {
  expect(composeRates(homeToUsdc, usdcToBrl)).toBe(rate);
});

test('two rates too small to leave a product are refused', () => {
  expect(() => composeRates('0.00000001', '0.00000001')).toThrow(RangeError);
});

test('a composed rate is the exact product to within half a unit of its last place', () => {
  fc.assert(
    fc.property(units, units, (one, other) => {
      fc.pre(one * other >= 10n ** 8n);
      const composed = BigInt(composeRates(textOf(one), textOf(other)).replace('.', ''));
      const error = composed * 10n ** 8n - one * other;
      expect((error < 0n ? -error : error) <= 10n ** 8n / 2n).toBe(true);
    }),
  );
});

test('a rate as a number has the value of its text', () => {
  expect(rateNumber('6.98500000')).toBe(6.985);
  expect(rateNumber('0.00000001')).toBe(1e-8);
  fc.assert(
    fc.property(units, (rate) => {
      expect(normaliseRate(rateNumber(textOf(rate)).toFixed(8))).toBe(textOf(rate));
    }),
  );
});

test.each([
  [10_000, '7.00000000', 0, 'GBP', 1429],
  [10_000, '5.00000000', 0, 'GBP', 2000],
  [10_000, '5.00000000', 100, 'EUR', 2020],
  [10_000, '7.00000000', 100, 'GBP', 1443],
  [1, '7.00000000', 0, 'GBP', 1],
  [10_000, '5.00000000', 0, 'USDC', 20_000_000],
  [10_000, '5.51000000', 100, 'USDC', 18_330_309],
] as const)(
  '%d centavos at %s plus %d bps is %4$d in %3$s',
  (amountBrlMinor, rate, bps, sourceCurrency, expected) => {
    expect(sourceAmountMinor({ amountBrlMinor, rate, serviceSpreadBps: bps, sourceCurrency })).toBe(expected);
  },
);

test('the source amount is the exact quotient, rounded up', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10 ** 9 }),
      units,
      bpsValues,
      (amountBrlMinor, rate, serviceSpreadBps) => {
        const exact = ceilDiv(
          BigInt(amountBrlMinor) * BigInt(10_000 + serviceSpreadBps) * 10n ** 8n,
          rate * 10_000n,
        );
        fc.pre(exact <= BigInt(Number.MAX_SAFE_INTEGER));
        const quote = {
          amountBrlMinor,
          rate: textOf(rate),
          serviceSpreadBps,
          sourceCurrency: 'GBP' as const,
        };
        expect(sourceAmountMinor(quote)).toBe(Number(exact));
      },
    ),
  );
});

test.each([
  [-1, '5.00000000', 100],
  [1.5, '5.00000000', 100],
  [10_000, '0.00000000', 100],
  [10_000, '5.00000000', -100],
  [10_000, '5.00000000', 0.5],
  [Number.MAX_SAFE_INTEGER, '0.50000000', 0],
])('%d centavos at %s plus %d bps is refused', (amountBrlMinor, rate, serviceSpreadBps) => {
  const quote = { amountBrlMinor, rate, serviceSpreadBps, sourceCurrency: 'GBP' as const };
  expect(() => sourceAmountMinor(quote)).toThrow(RangeError);
});

test.each([
  [10_000, 100, 10_100],
  [1, 1, 2],
  [9999, 100, 10_099],
  [10_000, 0, 10_000],
  [0, 100, 0],
])('the spread on %d at %d bps gives %d', (amountMinor, bps, expected) => {
  expect(addSpreadMinor(amountMinor, bps)).toBe(expected);
});

test('an amount with its spread is exact, rounded up', () => {
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 50 }), bpsValues, (amountMinor, bps) => {
      const exact = ceilDiv(BigInt(amountMinor) * BigInt(10_000 + bps), 10_000n);
      expect(addSpreadMinor(amountMinor, bps)).toBe(Number(exact));
    }),
  );
});

test('a spread that exceeds the safe integers is refused', () => {
  expect(() => addSpreadMinor(Number.MAX_SAFE_INTEGER, 1)).toThrow(RangeError);
});

const priced = (amountBrlMinor: number, rate: string, cost: number) =>
  ({ amountBrlMinor, rate, sourceAmountMinor: cost, sourceCurrency: 'GBP' }) as const;

test.each([
  [15_000, '7.12345678', 2_127, 21, '7.05218618'],
  [10_000, '5.00000000', 2_020, 20, '4.95049505'],
  [10_000, '5.00000000', 2_000, 0, '5.00000000'],
  // One penny is what a centavo costs, with or without the fee.
  [1, '7.00000000', 1, 0, '1.00000000'],
  [1, '7.00000000', 2, 1, '0.50000000'],
  // The provider used more decimals than it states.
  [100_000_000, '7.05000000', 14_184_396, 0, '7.05000058'],
  // Halves go to the even neighbour.
  [1, '7.00000000', 64_000_000, 63_999_999, '0.00000002'],
  [3, '7.00000000', 200_000_000, 199_999_999, '0.00000002'],
  [1, '7.00000000', 200_000_000, 199_999_999, '0.00000000'],
])(
  '%d centavos at %s for %d pence have a fee of %d pence and the effective rate %s',
  (amountBrlMinor, rate, cost, fee, effective) => {
    const price = priced(amountBrlMinor, rate, cost);
    expect([feeAmountMinor(price), effectiveRate(price)]).toEqual([fee, effective]);
  },
);

test('the fee and the effective rate of a price in a currency with other places are in its units', () => {
  const price = { ...priced(10_000, '5.51000000', 18_330_309), sourceCurrency: 'USDC' } as const;
  expect([feeAmountMinor(price), effectiveRate(price)]).toEqual([181_488, '5.45544540']);
});

test.each([
  [-1, '5.00000000', 100],
  [1.5, '5.00000000', 100],
  [100, '5.00000000', -1],
  [100, '5.00000000', 0.5],
])('%d centavos at %s for %d pence have no fee and no effective rate', (brl, rate, source) => {
  expect(() => feeAmountMinor(priced(brl, rate, source))).toThrow(RangeError);
  expect(() => effectiveRate(priced(brl, rate, source))).toThrow(RangeError);
});

test('a malformed rate gives no fee', () => {
  expect(() => feeAmountMinor(priced(100, '0.00000000', 100))).toThrow(RangeError);
});

const amountsAt = (source: number, destination: number, rate: string, spreadBps = 0) =>
  isPriced({
    source: { currency: 'GBP', minor: source },
    destination: { currency: 'BRL', minor: destination },
    rate,
    spreadBps,
  });

test.each([
  [1_433, 10_000, '7.05042918', 100, true],
  [1_432, 10_000, '7.05042918', 100, true],
  [1_431, 10_000, '7.05042918', 100, false],
  [1_436, 10_000, '7.05042918', 100, false],
  [1_418, 10_000, '7.05042918', 100, false],
  [1, 1, '7.05042918', 100, true],
  [2, 1, '7.05042918', 100, false],
  [14_325_370, 100_000_000, '7.05', 100, true],
])(
  'the amounts of %d pence and %d centavos match the rate %s at %d bps: %s',
  (source, destination, rate, spreadBps, expected) => {
    expect(amountsAt(source, destination, rate, spreadBps)).toBe(expected);
  },
);

test('amounts match a rate if the rule for a price gives them, and amounts far from them do not', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10 ** 9 }),
      fc.integer({ min: 10 ** 6, max: 10 ** 10 }).map((rate) => textOf(BigInt(rate))),
      fc.nat({ max: 1_000 }),
      (amountBrlMinor, rate, serviceSpreadBps) => {
        const source = sourceAmountMinor({ amountBrlMinor, rate, serviceSpreadBps, sourceCurrency: 'GBP' });
        expect(amountsAt(source, amountBrlMinor, rate, serviceSpreadBps)).toBe(true);
        const far = Math.ceil(source * 1.001) + 3 + Math.ceil(2 / Number(rate));
        expect(amountsAt(far, amountBrlMinor, rate, serviceSpreadBps)).toBe(false);
      },
    ),
  );
});

test('the global settings of the decimal library stay unchanged', () => {
  expect([Big.DP, Big.RM]).toEqual([20, Big.roundHalfUp]);
});
