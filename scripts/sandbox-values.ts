// Writes what /docs says about the sandbox: its magic values, at each operation for which they decide something.
import type { operations } from '../openapi/generated/openapi.ts';
import { CHAPTERS, type Chapter } from '../sandbox/magic.ts';

type OperationId = keyof operations;

/** Where an app sends the values of a chapter: the operations, and the field as the app knows it. */
type Place = { operations: OperationId[]; field: string; isInMinorUnits?: true };

const PLACES: Record<Chapter['title'], Place> = {
  Verification: {
    operations: ['startKyc', 'restartKyc'],
    field: 'a word of the full name, on the hosted page',
  },
  Quotes: { operations: ['createPixQuote'], field: '`amountBrl`' },
  Conversions: { operations: ['createPixPayment'], field: '`amountBrl` of the quote' },
  'Look-ups': { operations: ['lookUpPixRecipient'], field: '`pixKey`' },
  Codes: { operations: ['readPixCode'], field: '`code`' },
  'Checks before a PIX payment': {
    operations: ['createPixPayment'],
    field: '`pixKey` of the type `email`',
  },
  'PIX payouts': { operations: ['createPixPayment'], field: '`pixKey` of the type `email`' },
  Contestations: { operations: ['contestPixPayment'], field: '`pixKey` that was paid' },
  // An operator returns the money of a failed payout, so no operation of the contract does.
  Returns: { operations: [], field: '' },
  Withdraws: { operations: ['createWithdraw'], field: '`amount` in minor units', isInMinorUnits: true },
  'Bank account checks': {
    operations: ['saveBankDetails', 'checkBankDetails'],
    field: 'a word of the saved `accountHolderName`',
  },
};

const NOTE =
  '**Only in the sandbox:** these values decide what it does as the banking provider. Every other value succeeds.';

/** @returns a text in Markdown for each operation that has magic values. */
export function sandboxValues(): Partial<Record<OperationId, string>> {
  const named = new Set(Object.values(PLACES).flatMap(({ operations }) => operations));
  return Object.fromEntries([...named].map((operation) => [operation, textFor(operation)]));
}

/** Writes lists, because a column of the page is too narrow for tables. */
function textFor(operation: OperationId): string {
  const chapters = CHAPTERS.filter(({ title }) => PLACES[title].operations.includes(operation));
  return [NOTE, ...chapters.map(listOf)].join('\n\n');
}

function listOf({ title, rows }: Chapter): string {
  const { field, isInMinorUnits } = PLACES[title];
  const lines = rows.map(({ value, meaning }) => {
    const sent = isInMinorUnits ? value.replace('.', '') : value;
    return `- \`${sent}\`: ${meaning}`;
  });
  return `${title}, by ${field}:\n\n${lines.join('\n')}`;
}
