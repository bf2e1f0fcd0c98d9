// A quote must match its request: the currencies, the amount, the markup, the rate and the limits of the subsidy.
import { expect, test } from 'vitest';
import type { QuoteRequest } from '../../src/provider/port.ts';
import { asRequested, type QuoteReply } from '../../src/provider/quote-reply.ts';

/** Requests at most 50.00 USDC, and a subsidy of at most 1 % of the market price. */
const capped: QuoteRequest = {
  sourceCurrency: 'USDC',
  destinationCurrency: 'GBP',
  destinationAmountMinor: 3_900,
  subsidy: { maxSourceAmountMinor: 50_000_000, capBps: 100 },
};

/** The reply for a market price of `marketMinor` USDC, of which the company pays `subsidyMinor`. */
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
  expect(asRequested(capped, reply(marketMinor, subsidyMinor)).subsidyMinor).toBe(subsidyMinor);
});

test.each([
  ['a subsidy beyond one percent', 50_600_000, 600_000],
  ['a subsidy of ten percent', 55_000_000, 5_000_000],
  ['an amount beyond the largest one', 50_500_000, 400_000],
])('a quote with %s is refused', (_what, marketMinor, subsidyMinor) => {
  expect(() => asRequested(capped, reply(marketMinor, subsidyMinor))).toThrow(
    'has a subsidy beyond its limits',
  );
});

const fixedSource: QuoteRequest = {
  sourceCurrency: 'EUR',
  destinationCurrency: 'BRL',
  sourceAmountMinor: 1_000,
  markupBps: 100,
};
const fixedDestination: QuoteRequest = {
  sourceCurrency: 'EUR',
  destinationCurrency: 'BRL',
  destinationAmountMinor: 6_250,
  markupBps: 100,
};
/** 10.00 EUR less 1 % at 6.3125 are 62.50 BRL. */
const priced: QuoteReply = {
  providerRef: '0199d2a0-0000-7000-8000-000000000001',
  sourceCurrency: 'EUR',
  destinationCurrency: 'BRL',
  sourceAmountMinor: 1_000,
  destinationAmountMinor: 6_250,
  rate: '6.31250000',
  markupBps: 100,
  subsidyMinor: 0,
  expiresAt: new Date(),
};
const free = { sourceCurrency: 'EUR', destinationCurrency: 'BRL', sourceAmountMinor: 0 } as const;

test.each([
  ['a fixed source', fixedSource],
  ['a fixed destination', fixedDestination],
])('a quote for %s is accepted unchanged', (_what, request) => {
  expect(asRequested(request, priced)).toBe(priced);
});

test('a quote without a markup is accepted for a request that names none', () => {
  const { markupBps: _, ...request } = fixedSource;
  const unmarked = { ...priced, rate: '6.25000000', markupBps: 0 };
  expect(asRequested(request, unmarked)).toBe(unmarked);
  expect(() => asRequested(request, priced)).toThrow('has another markup');
});

test.each<[string, QuoteRequest, Partial<QuoteReply>]>([
  ['is between other currencies', fixedSource, { sourceCurrency: 'GBP' }],
  ['is between other currencies', fixedSource, { destinationCurrency: 'USDC' }],
  ['is for another amount', fixedSource, { sourceAmountMinor: 1_001 }],
  ['is for another amount', fixedDestination, { destinationAmountMinor: 6_249 }],
  ['moves nothing', free, { sourceAmountMinor: 0 }],
  ['moves nothing', fixedSource, { destinationAmountMinor: 0 }],
  ['has another markup', fixedSource, { markupBps: 99 }],
  ['has amounts that are not at its rate', fixedSource, { destinationAmountMinor: 6_300 }],
  ['has amounts that are not at its rate', fixedDestination, { sourceAmountMinor: 990 }],
  ['has a subsidy beyond its limits', fixedSource, { subsidyMinor: 1 }],
])('a quote that %s is an unknown outcome', (fault, request, differing) => {
  expect(() => asRequested(request, { ...priced, ...differing })).toThrow(fault);
});

test.each([
  ['a subsidy of one percent and the unit of its rounding', 50_000_000, 500_001],
  ['the largest amount', 50_250_000, 250_000],
])('a quote with exactly %s is accepted', (_what, marketMinor, subsidyMinor) => {
  expect(asRequested(capped, reply(marketMinor, subsidyMinor)).subsidyMinor).toBe(subsidyMinor);
});

test.each([
  ['a unit more of subsidy', 50_000_000, 500_002],
  ['a unit more than the largest amount', 50_250_001, 250_000],
])('a quote with %s is refused', (_what, marketMinor, subsidyMinor) => {
  expect(() => asRequested(capped, reply(marketMinor, subsidyMinor))).toThrow(
    'has a subsidy beyond its limits',
  );
});
