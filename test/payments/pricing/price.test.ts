// The quotes that each flow requests, and the price that it derives from the replies.
import { expect, test } from 'vitest';
import { Refusal } from '../../../src/domain/refusals.ts';
import { priceDirect } from '../../../src/payments/pricing/direct.ts';
import type { Quoting } from '../../../src/payments/pricing/price.ts';
import { priceTwoHop } from '../../../src/payments/pricing/two-hop.ts';
import { OutcomeUnknown, ProviderRefusal } from '../../../src/provider/errors.ts';
import type { ProviderQuote, QuoteRequest } from '../../../src/provider/port.ts';

const wanted = { amountBrlMinor: 10_000, sourceCurrency: 'EUR', serviceSpreadBps: 100 } as const;

type Reply = Partial<ProviderQuote> | Error;

/** Answers each request with the next reply. */
function quoting(...replies: Reply[]): Quoting & { requests: QuoteRequest[] } {
  const requests: QuoteRequest[] = [];
  return {
    requests,
    createQuote: async (request) => {
      requests.push(request);
      const reply = replies.shift();
      if (reply === undefined) throw new Error('one request too many');
      if (reply instanceof Error) throw reply;
      return {
        providerRef: 'a-quote',
        sourceAmountMinor: 1,
        destinationAmountMinor: 1,
        rate: '1.00000000',
        lifeMs: 60_000,
        ...reply,
      };
    },
  };
}

test('a direct price is one quote for the BRL amount, with the spread as its markup', async () => {
  const provider = quoting({
    providerRef: 'locked',
    sourceAmountMinor: 1_600,
    rate: '6.31250000',
    lifeMs: 59_000,
  });
  expect(await priceDirect(provider, wanted)).toEqual({
    flow: 'direct',
    sourceAmountMinor: 1_600,
    usdcQuotedMinor: null,
    rate: '6.31250000',
    providerQuoteId: 'locked',
    lifeMs: 59_000,
  });
  expect(provider.requests).toEqual([
    { sourceCurrency: 'EUR', destinationCurrency: 'BRL', destinationAmountMinor: 10_000, markupBps: 100 },
  ]);
});

const toReais = { sourceAmountMinor: 18_000_000, rate: '5.55555556' };
const indicative = { sourceAmountMinor: 1_653 };
const locked = {
  providerRef: 'locked',
  sourceAmountMinor: 1_653,
  destinationAmountMinor: 18_180_500,
  rate: '1.10000000',
  lifeMs: 58_000,
};
const twoHopRequests = [
  { sourceCurrency: 'USDC', destinationCurrency: 'BRL', destinationAmountMinor: 10_000 },
  // The spread of 1 % is a buffer of USDC.
  { sourceCurrency: 'EUR', destinationCurrency: 'USDC', destinationAmountMinor: 18_180_000 },
  { sourceCurrency: 'EUR', destinationCurrency: 'USDC', sourceAmountMinor: 1_653 },
];
const twoHopPrice = {
  flow: 'two_hop',
  sourceAmountMinor: 1_653,
  usdcQuotedMinor: 18_180_500,
  rate: '6.11111112',
  providerQuoteId: 'locked',
  lifeMs: 58_000,
};

test('a price through USDC is two indicative quotes and a third that locks the home amount', async () => {
  const provider = quoting(toReais, indicative, locked);
  expect(await priceTwoHop(provider, wanted)).toEqual(twoHopPrice);
  expect(provider.requests).toEqual(twoHopRequests);
});

test('leg 1 is accepted if it delivers exactly what leg 2 needs', async () => {
  const exact = { ...locked, destinationAmountMinor: 18_000_000 };
  const price = await priceTwoHop(quoting(toReais, indicative, exact), wanted);
  expect(price.usdcQuotedMinor).toBe(18_000_000);
});

const short = { ...locked, destinationAmountMinor: 17_999_999 };

test('a price is requested once more if leg 1 delivers too little', async () => {
  const provider = quoting(toReais, indicative, short, toReais, indicative, locked);
  expect(await priceTwoHop(provider, wanted)).toEqual(twoHopPrice);
  expect(provider.requests).toEqual([...twoHopRequests, ...twoHopRequests]);
});

test('a price that is too short twice is an unknown outcome that has changed nothing', async () => {
  const provider = quoting(toReais, indicative, short, toReais, indicative, short);
  const error = await priceTwoHop(provider, wanted).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(OutcomeUnknown);
  expect(error).toMatchObject({ mayHaveActed: false });
  expect(provider.requests).toHaveLength(6);
});

const rejected = new ProviderRefusal('rejected', 'createQuote');

test.each<[string, typeof priceDirect, Reply[]]>([
  ['a direct price', priceDirect, [rejected]],
  ['the quote for the BRL amount', priceTwoHop, [rejected]],
  ['the indicative quote', priceTwoHop, [toReais, rejected]],
  ['the locked quote', priceTwoHop, [toReais, indicative, rejected]],
])('an amount that the provider rejects in %s is not supported', async (_quote, price, replies) => {
  const error = await price(quoting(...replies), wanted).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Refusal);
  expect(error).toMatchObject({ code: 'amount_not_supported', cause: rejected });
});

test.each([
  ['another refusal', new ProviderRefusal('account_not_active', 'createQuote')],
  ['an unknown outcome', new OutcomeUnknown('createQuote', 'no answer')],
])('%s of the provider is passed on', async (_kind, error) => {
  await expect(priceDirect(quoting(error), wanted)).rejects.toBe(error);
});
