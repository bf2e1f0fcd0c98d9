// A quote that the company subsidises stays within the limits of its request.
import { expect, test } from 'vitest';
import type { QuoteRequest } from '../../src/provider/port.ts';
import { asAsked, type QuoteReply } from '../../src/provider/quote-reply.ts';

/** At most 50.00 USDC, and a subsidy of at most 1 % of the market's price. */
const asked: QuoteRequest = {
  sourceCurrency: 'USDC',
  destinationCurrency: 'GBP',
  destinationAmountMinor: 3_900,
  subsidy: { maxSourceAmountMinor: 50_000_000, capBps: 100 },
};

/** The reply to a market that asks for `marketMinor` of USDC, of which the company pays `subsidyMinor`. */
const reply = (marketMinor: number, subsidyMinor: number): QuoteReply => ({
  providerRef: '0199d2a0-0000-7000-8000-000000000001',
  sourceCurrency: 'USDC',
  destinationCurrency: 'GBP',
  sourceAmountMinor: marketMinor - subsidyMinor,
  destinationAmountMinor: 3_900,
  rate: (39 / (marketMinor / 1_000_000)).toFixed(8),
  markupBps: 0,
  subsidyMinor,
  expiresAt: new Date(),
});

test.each([
  ['no subsidy', 50_000_000, 0],
  ['a subsidy of half a percent', 50_250_000, 250_000],
  ['a subsidy of exactly one percent', 50_505_050, 505_050],
])('a quote with %s is accepted', (_what, marketMinor, subsidyMinor) => {
  expect(asAsked(asked, reply(marketMinor, subsidyMinor)).subsidyMinor).toBe(subsidyMinor);
});

test.each([
  ['a subsidy beyond one percent', 50_600_000, 600_000],
  ['a subsidy of ten percent', 55_000_000, 5_000_000],
  ['an amount beyond the largest one', 50_500_000, 400_000],
])('a quote with %s is refused', (_what, marketMinor, subsidyMinor) => {
  expect(() => asAsked(asked, reply(marketMinor, subsidyMinor))).toThrow('has a subsidy beyond its limits');
});
