// The figures of a quote add up for the person who reads them: cost, fee, both rates and the reais.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { newId } from '../../../src/domain/ids.ts';
import { addSpreadMinor, sourceAmountMinor } from '../../../src/domain/rates.ts';
import { pixQuoteFrom } from '../../../src/payments/present.ts';
import { priceDirect } from '../../../src/payments/pricing/direct.ts';
import type { Quoting } from '../../../src/payments/pricing/price.ts';
import { priceTwoHop } from '../../../src/payments/pricing/two-hop.ts';
import type { QuoteRequest } from '../../../src/provider/port.ts';

/** A rate as a whole number of 10 ** -8. */
const textOf = (units: number) => `${Math.trunc(units / 1e8)}.${String(units % 1e8).padStart(8, '0')}`;
const ceilDiv = (dividend: bigint, divisor: bigint) => (dividend + divisor - 1n) / divisor;
const unitsOf = (rate: number) => BigInt(rate.toFixed(8).replace('.', ''));

const usdcPerUnit = fc.integer({ min: 80_000_000, max: 250_000_000 });
const reaisPerUsdc = fc.integer({ min: 100_000_000, max: 1_500_000_000 });

type Market = { toUsdc: number; toReais: number; direct: number };

/** A provider that prices by these rates, with its rounding. */
const providerAt = (market: Market): Quoting => ({
  createQuote: async (request) => {
    const rate = textOf(market[pairOf(request)]);
    return { ...amountsAt(request, rate), rate, providerRef: 'a-quote', lifeMs: 60_000 };
  },
});

const pairOf = ({ sourceCurrency, destinationCurrency }: QuoteRequest): keyof Market => {
  if (sourceCurrency === 'USDC') return 'toReais';
  return destinationCurrency === 'BRL' ? 'direct' : 'toUsdc';
};

function amountsAt(request: QuoteRequest, rate: string) {
  const { sourceCurrency, markupBps = 0 } = request;
  const units = BigInt(rate.replace('.', ''));
  if ('sourceAmountMinor' in request) {
    // A home amount buys USDC: six places for two.
    const source = request.sourceAmountMinor;
    const bought = (BigInt(source) * 10n ** 4n * units) / 10n ** 8n;
    return { sourceAmountMinor: source, destinationAmountMinor: Number(bought) };
  }
  const wanted = request.destinationAmountMinor;
  if (request.destinationCurrency === 'BRL') {
    const quoted = { amountBrlMinor: wanted, rate, serviceSpreadBps: markupBps, sourceCurrency };
    return { sourceAmountMinor: sourceAmountMinor(quoted), destinationAmountMinor: wanted };
  }
  const cost = ceilDiv(BigInt(wanted) * 10n ** 8n, units * 10n ** 4n);
  return { sourceAmountMinor: Number(cost), destinationAmountMinor: wanted };
}

const flows = [
  ['one conversion', priceDirect],
  ['two conversions', priceTwoHop],
] as const;

test.each(flows)('the figures of a quote with %s add up', async (_flow, price) => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 10 ** 9 }),
      fc.constantFrom('GBP' as const, 'EUR' as const),
      fc.integer({ min: 0, max: 2_000 }),
      fc.record({ toUsdc: usdcPerUnit, toReais: reaisPerUsdc, direct: reaisPerUsdc }),
      async (amountBrlMinor, sourceCurrency, serviceSpreadBps, market) => {
        const request = { amountBrlMinor, sourceCurrency, serviceSpreadBps };
        const priced = await price(providerAt(market), request);
        const shown = pixQuoteFrom({ id: newId(), expiresAt: new Date(), ...request, ...priced });
        const { rate, sourceAmount, feeAmount = Number.NaN, effectiveRate = Number.NaN } = shown;

        const atRate = Number(ceilDiv(BigInt(amountBrlMinor) * 10n ** 8n, unitsOf(rate)));
        // The stated rate is rounded to 8 decimals, so a large price can be below the price at that rate. It then has no fee.
        const roundedAway = 1 + sourceAmount / 10 ** 8 / rate;
        const missing = atRate + feeAmount - sourceAmount;
        expect(missing).toBeGreaterThanOrEqual(0);
        expect(missing).toBeLessThanOrEqual(feeAmount === 0 ? roundedAway : 0);
        // The fee is the spread on the price at the rate, but for the rounding of each conversion.
        const spread = addSpreadMinor(atRate, serviceSpreadBps) - atRate;
        expect(Math.abs(spread - feeAmount)).toBeLessThanOrEqual(1 + roundedAway);

        const bought = unitsOf(effectiveRate) * BigInt(sourceAmount) - BigInt(amountBrlMinor) * 10n ** 8n;
        expect(2n * (bought < 0n ? -bought : bought) <= BigInt(sourceAmount)).toBe(true);
        expect(effectiveRate).toBeLessThanOrEqual(rate + 1e-8);
        const isReturned = Math.round(effectiveRate * sourceAmount) === amountBrlMinor;
        expect(isReturned || sourceAmount >= 10 ** 8).toBe(true);
      },
    ),
  );
});
