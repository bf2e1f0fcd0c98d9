// The table of transactions that the client makes for an accountant.
import { expect, test } from 'vitest';
import { createPonte, csvOf, type Transaction } from '../../packages/client/src/index.ts';

const deposit: Transaction = {
  id: '0198c2f5-0c6f-7b8e-8f21-5e0b7a1d9c46',
  type: 'deposit',
  status: 'completed',
  sourceCurrency: 'GBP',
  sourceAmount: 5,
  heldAmount: null,
  destCurrency: null,
  destAmount: null,
  fxRate: null,
  counterparty: { name: '=HYPERLINK("http://evil.example")', account: '****5678', reference: 'rent, "May"' },
  provider: 'provider',
  failureReason: null,
  failureCode: null,
  pixPaymentId: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  completedAt: '2026-01-01T00:00:01.000Z',
};
const payment: Transaction = {
  ...deposit,
  type: 'payment',
  sourceAmount: 123_456,
  destCurrency: 'BRL',
  destAmount: 700_000,
  fxRate: 5.7,
  counterparty: { name: 'Padaria São João\r\nLtda', account: null, reference: null },
  pixPaymentId: '0198c2f5-0c6f-7b8e-8f21-5e0b7a1d9c47',
};

test('a table has a line for each transaction, and no cell that a spreadsheet takes for a formula', () => {
  expect(csvOf([deposit, payment])).toBe(
    [
      '\uFEFFDate,Completed,Type,Status,Currency,Money in,Money out,Recipient currency,Recipient amount,Rate,Other side,Account,Reference,Failure,Id,Payment id',
      `2026-01-01T00:00:00.000Z,2026-01-01T00:00:01.000Z,deposit,completed,GBP,0.05,,,,,"'=HYPERLINK(""http://evil.example"")",****5678,"rent, ""May""",,${deposit.id},`,
      `2026-01-01T00:00:00.000Z,2026-01-01T00:00:01.000Z,payment,completed,GBP,,1234.56,BRL,7000.00,5.7,"Padaria São João\r\nLtda",,,,${payment.id},${payment.pixPaymentId}`,
      '',
    ].join('\r\n'),
  );
});

test.each(['=1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'])('the cell %j begins with an apostrophe', (name) => {
  const counterparty = { name, account: null, reference: null };
  expect(csvOf([{ ...deposit, counterparty }])).toContain(`'${name}`);
});

test('a year is read from its beginning to its end, however many pages it has', async () => {
  const addresses: string[] = [];
  const pages = [['2026-12-31T23:59:59.999Z'], [], ['2026-01-01T00:00:00.000Z']];
  const fetch = ({ url }: Request): Promise<Response> => {
    const items = (pages[addresses.length] ?? []).map((createdAt) => ({ ...deposit, createdAt }));
    addresses.push(url);
    const isLast = addresses.length === pages.length;
    const link = { link: `</transactions?cursor=c${addresses.length}>; rel="next"` };
    return Promise.resolve(
      Response.json(items, { headers: { 'x-request-id': 'one', ...(!isLast && link) } }),
    );
  };
  const ponte = createPonte({ baseUrl: 'https://ponte.example', fetch });
  const found = await ponte.transactionsOfYear(2026);
  expect(found.map(({ createdAt }) => createdAt)).toEqual(pages.flat());
  const year = { limit: '1000', from: '2026-01-01T00:00:00.000Z', to: '2027-01-01T00:00:00.000Z' };
  expect(addresses.map((url) => Object.fromEntries(new URL(url).searchParams))).toEqual([
    year,
    { ...year, cursor: 'c1' },
    { ...year, cursor: 'c2' },
  ]);
});
