// A table of transactions for an accountant, as RFC 4180 describes it.
import type { Transaction } from './types.ts';

/** Excel reads a file as UTF-8 only if it begins with this mark. */
const UTF_8_MARK = '\uFEFF';
const END_OF_LINE = '\r\n';

type Column = [title: string, cellOf: (transaction: Transaction) => string | null];

/** Money has two columns, so that no amount begins with a minus, which a spreadsheet could take for a formula. */
const columns: Column[] = [
  ['Date', ({ createdAt }) => createdAt],
  ['Completed', ({ completedAt }) => completedAt],
  ['Type', ({ type }) => type],
  ['Status', ({ status }) => status],
  ['Currency', ({ sourceCurrency }) => sourceCurrency],
  ['Money in', ({ type, sourceAmount }) => (type === 'deposit' ? decimalOf(sourceAmount) : null)],
  ['Money out', ({ type, sourceAmount }) => (type === 'deposit' ? null : decimalOf(sourceAmount))],
  ['Recipient currency', ({ destCurrency }) => destCurrency],
  ['Recipient amount', ({ destAmount }) => (destAmount === null ? null : decimalOf(destAmount))],
  ['Rate', ({ fxRate }) => (fxRate === null ? null : String(fxRate))],
  ['Other side', ({ counterparty }) => counterparty?.name ?? null],
  ['Account', ({ counterparty }) => counterparty?.account ?? null],
  ['Reference', ({ counterparty }) => counterparty?.reference ?? null],
  ['Failure', ({ failureReason }) => failureReason],
  ['Id', ({ id }) => id],
  ['Payment id', ({ pixPaymentId }) => pixPaymentId],
];

/**
 * Returns transactions as CSV in UTF-8, one on each line below the titles. Amounts have a decimal point, and times are ISO 8601 UTC. Other
 * people write names and references, so a cell that a spreadsheet would take for a formula begins with an apostrophe.
 */
export const csvOf = (transactions: Transaction[]): string =>
  UTF_8_MARK +
  [columns.map(([title]) => title), ...transactions.map((one) => columns.map(([, cellOf]) => cellOf(one)))]
    .map((cells) => cells.map((cell) => quoted(defused(cell ?? ''))).join(',') + END_OF_LINE)
    .join('');

/** All currencies of a transaction have two decimals. */
const decimalOf = (minor: number): string => (minor / 100).toFixed(2);

const defused = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
