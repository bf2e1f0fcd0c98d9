// The magic values that decide outcomes, in one table: the code reads it, and the front page prints it. Any other value succeeds.
import type { components } from '../openapi/generated/provider.ts';
import type { Currency } from './money.ts';

type Schemas = components['schemas'];

export type PayoutOutcome =
  | 'completes'
  | 'fails'
  | 'unknownRecipient'
  | 'errors'
  | 'recovers'
  | 'completesLate'
  | 'refunded'
  | 'refundedEarly'
  | 'slow'
  | 'rejected'
  | 'instant'
  | 'instantFailure';
export type TransferOutcome =
  | 'completes'
  | 'fails'
  | 'instant'
  | 'instantFailure'
  | 'slow'
  | 'short'
  | 'over'
  | 'rejected';
export type QuoteOutcome = 'quoted' | 'rejected' | 'brief';
export type VerificationOutcome =
  | 'completes'
  | 'fails'
  | 'slow'
  | 'appeals'
  | 'unreadable'
  | 'expired'
  | 'misspelt'
  | 'ineligible';
export const VERIFICATION_FAILURES = [
  'document_unreadable',
  'document_expired',
  'name_mismatch',
  'not_eligible',
  'other',
] as const;
export type VerificationFailure = (typeof VERIFICATION_FAILURES)[number];

interface Magic<Outcome> {
  value: string;
  outcome: Outcome;
  meaning: string;
}

const PIX_KEYS: Magic<PayoutOutcome>[] = [
  { value: 'fail@pix.example', outcome: 'fails', meaning: 'payout FAILED, at every attempt' },
  {
    value: 'unknown@pix.example',
    outcome: 'unknownRecipient',
    meaning: 'payout FAILED with `recipient_unknown`, at every attempt',
  },
  { value: 'error@pix.example', outcome: 'errors', meaning: 'payout ERROR, at every attempt' },
  {
    value: 'recover@pix.example',
    outcome: 'recovers',
    meaning: 'FAILED at the first attempt, COMPLETED when issued again',
  },
  {
    value: 'late@pix.example',
    outcome: 'completesLate',
    meaning:
      'payout FAILED, a little later COMPLETED after all; it is debited again if the account covers it',
  },
  { value: 'refund@pix.example', outcome: 'refunded', meaning: 'COMPLETED, a little later REFUNDED' },
  { value: 'return@pix.example', outcome: 'refundedEarly', meaning: 'REFUNDED without ever being COMPLETED' },
  { value: 'slow@pix.example', outcome: 'slow', meaning: 'PENDING for ten minutes, then COMPLETED' },
  { value: 'reject@pix.example', outcome: 'rejected', meaning: '422 rejected when it is created' },
  { value: 'instant@pix.example', outcome: 'instant', meaning: 'COMPLETED in the reply, no callback' },
  {
    value: 'instantfail@pix.example',
    outcome: 'instantFailure',
    meaning: 'FAILED in the reply, no callback',
  },
];

/** The outcomes of GBP and EUR payouts, by their exact amount. */
const WITHDRAW_AMOUNTS: Magic<PayoutOutcome>[] = [
  { value: '13.13', outcome: 'fails', meaning: 'payout FAILED' },
  { value: '14.14', outcome: 'refunded', meaning: 'COMPLETED, a little later REFUNDED' },
  { value: '15.15', outcome: 'errors', meaning: 'payout ERROR' },
  { value: '16.16', outcome: 'slow', meaning: 'PENDING for ten minutes, then COMPLETED' },
  { value: '17.17', outcome: 'instant', meaning: 'COMPLETED in the reply, no callback' },
  { value: '18.18', outcome: 'rejected', meaning: '422 rejected when it is created' },
  { value: '19.19', outcome: 'refundedEarly', meaning: 'REFUNDED without ever being COMPLETED' },
];

/** The outcomes of conversions, by the exact BRL amount that they deliver. */
const TRANSFER_AMOUNTS: Magic<TransferOutcome>[] = [
  { value: '6.66', outcome: 'fails', meaning: 'conversion FAILED' },
  { value: '7.77', outcome: 'instant', meaning: 'COMPLETED in the reply, no callback' },
  { value: '7.66', outcome: 'instantFailure', meaning: 'FAILED in the reply, no callback' },
  { value: '8.88', outcome: 'short', meaning: 'COMPLETED, but R$ 8.87 is delivered' },
  { value: '9.99', outcome: 'slow', meaning: 'PENDING for ten minutes, then COMPLETED' },
  { value: '3.33', outcome: 'rejected', meaning: '422 rejected when the conversion is created' },
];

/** The outcomes of quotes, by the exact BRL amount requested. */
const QUOTE_AMOUNTS: Magic<QuoteOutcome>[] = [
  { value: '4.44', outcome: 'rejected', meaning: '422 rejected' },
  { value: '5.55', outcome: 'brief', meaning: 'expires after one second' },
];

/** The outcomes of conversions out of BRL, by the exact BRL amount that they take. */
const RETURN_AMOUNTS: Magic<TransferOutcome>[] = [
  { value: '21.21', outcome: 'fails', meaning: 'conversion FAILED' },
  { value: '22.22', outcome: 'slow', meaning: 'PENDING for ten minutes, then COMPLETED' },
  { value: '23.23', outcome: 'rejected', meaning: '422 rejected when the conversion is created' },
];

/** The outcomes of quotes out of BRL, by the exact `max_source_amount`. */
const RETURN_LIMITS: Magic<QuoteOutcome>[] = [
  {
    value: '24.24',
    outcome: 'rejected',
    meaning: '422 rejected, as if the market asked for more than the cap',
  },
  { value: '25.25', outcome: 'brief', meaning: 'expires after one second' },
];

/** The outcomes of verifications, by a word of the full name. */
const VERIFIED_NAMES: Magic<VerificationOutcome>[] = [
  { value: 'Fail', outcome: 'fails', meaning: 'verification FAILED with `other`, at every attempt' },
  {
    value: 'Ineligible',
    outcome: 'ineligible',
    meaning: 'verification FAILED with `not_eligible`, at every attempt',
  },
  {
    value: 'Unreadable',
    outcome: 'unreadable',
    meaning: 'FAILED with `document_unreadable` at the first attempt, then COMPLETED',
  },
  {
    value: 'Expired',
    outcome: 'expired',
    meaning: 'FAILED with `document_expired` at the first attempt, then COMPLETED',
  },
  {
    value: 'Misspelt',
    outcome: 'misspelt',
    meaning: 'FAILED with `name_mismatch` at the first attempt, then COMPLETED',
  },
  { value: 'Slow', outcome: 'slow', meaning: 'PENDING for ten minutes, then COMPLETED' },
  { value: 'Appeal', outcome: 'appeals', meaning: 'FAILED, a little later COMPLETED after all' },
];

/** The outcomes of bank account validations, by a word of the account holder's name. */
const ACCOUNT_HOLDERS: Magic<Schemas['BankAccountValidationStatus']>[] = [
  { value: 'Close', outcome: 'CLOSE_MATCH', meaning: 'CLOSE_MATCH' },
  { value: 'Mismatch', outcome: 'NO_MATCH', meaning: 'NO_MATCH' },
  { value: 'Unavailable', outcome: 'UNAVAILABLE', meaning: 'UNAVAILABLE' },
];

/** The tables of the front page, in the order of a customer's journey. */
export const CHAPTERS: { title: string; field: string; rows: Magic<string>[] }[] = [
  { title: 'Verification', field: 'a word of the full name', rows: VERIFIED_NAMES },
  { title: 'Quotes', field: 'BRL amount', rows: QUOTE_AMOUNTS },
  { title: 'Conversions', field: 'BRL amount', rows: TRANSFER_AMOUNTS },
  { title: 'PIX payouts', field: 'PIX key (type email)', rows: PIX_KEYS },
  { title: 'Returns', field: 'BRL amount converted back', rows: [...RETURN_AMOUNTS, ...RETURN_LIMITS] },
  { title: 'Withdraws', field: 'GBP or EUR amount', rows: WITHDRAW_AMOUNTS },
  { title: 'Bank account checks', field: 'a word of the account holder', rows: ACCOUNT_HOLDERS },
];

export function payoutOutcome(
  rail: Schemas['Rail'],
  destination: Schemas['Destination'],
  amount: string,
): PayoutOutcome {
  if (rail !== 'PIX') return exactly(WITHDRAW_AMOUNTS, amount) ?? 'completes';
  return exactly(PIX_KEYS, 'pix_key' in destination ? destination.pix_key.toLowerCase() : '') ?? 'completes';
}

type Side = { currency: Currency; amount: string };

export function transferOutcome(source: Side, destination: Side): TransferOutcome {
  if (source.currency === 'BRL') return exactly(RETURN_AMOUNTS, source.amount) ?? 'completes';
  return (destination.currency === 'BRL' && exactly(TRANSFER_AMOUNTS, destination.amount)) || 'completes';
}

/** @param most the highest source amount that the request allows. */
export function returnQuoteOutcome(source: Currency, most: string | undefined): QuoteOutcome {
  return (source === 'BRL' && most !== undefined && exactly(RETURN_LIMITS, most)) || 'quoted';
}

export function quoteOutcome(currency: Currency, amount: string): QuoteOutcome {
  return (currency === 'BRL' && exactly(QUOTE_AMOUNTS, amount)) || 'quoted';
}

export function verificationOutcome(fullName: string): VerificationOutcome {
  return byWord(VERIFIED_NAMES, fullName) ?? 'completes';
}

const FAILS_ALWAYS: Partial<Record<VerificationOutcome, VerificationFailure>> = {
  fails: 'other',
  appeals: 'other',
  ineligible: 'not_eligible',
};
const FAILS_FIRST: Partial<Record<VerificationOutcome, VerificationFailure>> = {
  unreadable: 'document_unreadable',
  expired: 'document_expired',
  misspelt: 'name_mismatch',
};

/** Returns why a verification fails at this attempt. Null if it does not. */
export const verificationFailure = (
  outcome: VerificationOutcome,
  attempt: number,
): VerificationFailure | null =>
  FAILS_ALWAYS[outcome] ?? (attempt === 1 ? FAILS_FIRST[outcome] : undefined) ?? null;

export function accountHolderOutcome(name: string): Schemas['BankAccountValidationStatus'] {
  return byWord(ACCOUNT_HOLDERS, name) ?? 'MATCH';
}

function exactly<Outcome>(table: Magic<Outcome>[], value: string): Outcome | undefined {
  return table.find((row) => row.value === value)?.outcome;
}

function byWord<Outcome>(table: Magic<Outcome>[], name: string): Outcome | undefined {
  const words = name.toLowerCase().split(/[^\p{L}]+/u);
  return table.find((row) => words.includes(row.value.toLowerCase()))?.outcome;
}
