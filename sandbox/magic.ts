// The magic values that decide outcomes, in one table: the code reads it, and the front page, the README and /docs print it. Any other
// value succeeds.
import type { components } from '../openapi/generated/provider.ts';
import { dynamicCode, type Payee } from './br-code.ts';
import type { Currency } from './money.ts';

type Schemas = components['schemas'];

/** Each value with its outcome and what happens. */
type Magic<Outcome = string> = readonly (readonly [value: string, outcome: Outcome, meaning: string])[];

const PIX_KEYS = [
  ['fail@pix.example', 'fails', 'payout FAILED, at every attempt'],
  ['unknown@pix.example', 'unknownRecipient', 'payout FAILED with `recipient_unknown`, at every attempt'],
  [
    'expensive@pix.example',
    'abovePaymentLimit',
    'payout FAILED with `limit_reached` and `per_payment`, at every attempt',
  ],
  ['daily@pix.example', 'dayLimit', '`limit_reached` and `day` at the first attempt, then COMPLETED'],
  ['nightly@pix.example', 'nightLimit', '`limit_reached` and `night` at the first attempt, then COMPLETED'],
  ['blocked@pix.example', 'accountBlocked', 'payout FAILED with `account_blocked`, at every attempt'],
  ['mismatch@pix.example', 'nameMismatch', 'payout FAILED with `name_mismatch`, at every attempt'],
  [
    'closed@pix.example',
    'bankUnavailable',
    '`recipient_bank_unavailable` at the first attempt, then COMPLETED',
  ],
  ['stale@pix.example', 'codeExpired', 'payout FAILED with `code_expired`, at every attempt'],
  ['error@pix.example', 'errors', 'payout ERROR, at every attempt'],
  ['recover@pix.example', 'recovers', 'FAILED at the first attempt, COMPLETED when issued again'],
  [
    'late@pix.example',
    'completesLate',
    'payout FAILED, a little later COMPLETED after all; it is debited again if the account covers it',
  ],
  ['refund@pix.example', 'refunded', 'COMPLETED, a little later REFUNDED'],
  ['return@pix.example', 'refundedEarly', 'REFUNDED without ever being COMPLETED'],
  ['slow@pix.example', 'slow', 'PENDING for ten minutes, then COMPLETED'],
  ['reject@pix.example', 'rejected', '422 rejected when it is created'],
  ['instant@pix.example', 'instant', 'COMPLETED in the reply, no callback'],
  ['instantfail@pix.example', 'instantFailure', 'FAILED in the reply, no callback'],
] as const satisfies Magic;
export type PayoutOutcome = 'completes' | (typeof PIX_KEYS)[number][1];

export type PayoutLimit = 'per_payment' | 'day' | 'night';

/** The outcomes of checks before a payout, by the PIX key. A check of any other key allows the payout, which can fail all the same. */
const CHECKED_KEYS = [
  ['maximum@pix.example', 'per_payment', 'not allowed: the limit `per_payment`'],
  ['today@pix.example', 'day', 'not allowed: the limit `day`'],
  ['tonight@pix.example', 'night', 'not allowed: the limit `night`'],
  ['unchecked@pix.example', 'unavailable', '503 unavailable; the payout is COMPLETED'],
] as const satisfies Magic;

/** The outcomes of contestations, by the PIX key that was paid. One of any other key is accepted, and a half comes back. */
const CONTESTED_KEYS = [
  ['whole@pix.example', 'whole', 'ACCEPTED, all of it comes back: the payout is REFUNDED'],
  ['denied@pix.example', 'rejected', 'REJECTED, nothing comes back'],
  ['undecided@pix.example', 'open', 'OPEN, until you decide in the console'],
] as const satisfies Magic;
export type ContestationOutcome = 'half' | (typeof CONTESTED_KEYS)[number][1];

/** Why a payout is FAILED. `limit` is the limit that a payment has reached. */
export interface PayoutFailure {
  code: string;
  reason: string;
  limit?: PayoutLimit;
}

const PAYOUT_FAILURES: Partial<Record<PayoutOutcome, PayoutFailure>> = {
  unknownRecipient: { code: 'recipient_unknown', reason: 'the key leads to no account' },
  abovePaymentLimit: {
    code: 'limit_reached',
    limit: 'per_payment',
    reason: 'more than the limit of one payment',
  },
  dayLimit: { code: 'limit_reached', limit: 'day', reason: 'more than the limit of one day' },
  nightLimit: { code: 'limit_reached', limit: 'night', reason: 'more than the limit at night' },
  accountBlocked: { code: 'account_blocked', reason: "the recipient's account is blocked" },
  nameMismatch: { code: 'name_mismatch', reason: 'the account has another name' },
  bankUnavailable: { code: 'recipient_bank_unavailable', reason: 'the recipient bank does not answer' },
  codeExpired: { code: 'code_expired', reason: 'the code has expired' },
};

/** Returns why a payout with this outcome is FAILED. */
export const payoutFailure = (outcome: PayoutOutcome): PayoutFailure =>
  PAYOUT_FAILURES[outcome] ?? { code: 'other', reason: 'the recipient bank refused it' };

/** The owner of a key. The number of a person is masked. */
export interface KeyOwner {
  name: string;
  taxId: string;
  institution: string;
}

const JOANA: KeyOwner = { name: 'Joana Lima', taxId: '***.982.247-**', institution: 'Banco Estrela' };
/** The results of look-ups, by their key. A key that fails to be paid has an owner as well, unless it is unknown. */
const LOOKED_UP_KEYS = [
  ['joana@pix.example', JOANA, 'Joana Lima, a person'],
  ['52998224725', JOANA, 'Joana Lima, a person'],
  [
    'padaria@pix.example',
    { name: 'Padaria Estrela Ltda.', taxId: '11.222.333/0001-81', institution: 'Caixa do Bairro' },
    'Padaria Estrela Ltda., a company',
  ],
  ['unknown@pix.example', 'unknown', 'UNKNOWN: the key leads to no account'],
  ['unavailable@pix.example', 'unavailable', '503 unavailable'],
] as const satisfies Magic<KeyOwner | string>;

const LOJA: Payee = { name: 'Loja Aurora', city: 'Sao Paulo' };
const codeAt = (path: string): string => dynamicCode(`pix.sandbox.example/${path}`, LOJA);

/** The results of reading PIX codes, by the whole text. */
const CODES = [
  [codeAt('fixed'), 'fixed', 'a new charge of R$ 10.00 at each reading'],
  [codeAt('open'), 'open', 'a new charge at each reading, whose payer decides the amount'],
  [codeAt('soon'), 'soon', 'a new charge of R$ 10.00 at each reading, which expires in five minutes'],
  [codeAt('expired'), 'expired', '422 rejected, `expired`'],
  [codeAt('paid'), 'already_paid', '422 rejected, `already_paid`'],
  [codeAt('cancelled'), 'cancelled', '422 rejected, `cancelled`'],
  [codeAt('saque'), 'not_supported', '422 rejected, `not_supported`: a code of PIX Saque'],
  [codeAt('unavailable'), 'unavailable', '422 rejected, `unavailable`: the address does not answer'],
] as const satisfies Magic;
export type CodeOutcome = (typeof CODES)[number][1];

/** The outcomes of GBP and EUR payouts, by their exact amount. */
const WITHDRAW_AMOUNTS: Magic<PayoutOutcome> = [
  ['13.13', 'fails', 'payout FAILED'],
  ['14.14', 'refunded', 'COMPLETED, a little later REFUNDED'],
  ['15.15', 'errors', 'payout ERROR'],
  ['16.16', 'slow', 'PENDING for ten minutes, then COMPLETED'],
  ['17.17', 'instant', 'COMPLETED in the reply, no callback'],
  ['18.18', 'rejected', '422 rejected when it is created'],
  ['19.19', 'refundedEarly', 'REFUNDED without ever being COMPLETED'],
];

/** The outcomes of conversions, by the exact BRL amount that they deliver. */
const TRANSFER_AMOUNTS = [
  ['6.66', 'fails', 'conversion FAILED'],
  ['7.77', 'instant', 'COMPLETED in the reply, no callback'],
  ['7.66', 'instantFailure', 'FAILED in the reply, no callback'],
  ['8.88', 'short', 'COMPLETED, but R$ 8.87 is delivered'],
  ['9.99', 'slow', 'PENDING for ten minutes, then COMPLETED'],
  ['3.33', 'rejected', '422 rejected when the conversion is created'],
] as const satisfies Magic;
/** No magic value delivers more than quoted. */
export type TransferOutcome = 'completes' | 'over' | (typeof TRANSFER_AMOUNTS)[number][1];

/** The outcomes of quotes, by the exact BRL amount requested. */
const QUOTE_AMOUNTS = [
  ['4.44', 'rejected', '422 rejected'],
  ['5.55', 'brief', 'expires after one second'],
] as const satisfies Magic;
export type QuoteOutcome = 'quoted' | (typeof QUOTE_AMOUNTS)[number][1];

/** The outcomes of conversions out of BRL, by the exact BRL amount that they take. */
const RETURN_AMOUNTS: Magic<TransferOutcome> = [
  ['21.21', 'fails', 'conversion FAILED'],
  ['22.22', 'slow', 'PENDING for ten minutes, then COMPLETED'],
  ['23.23', 'rejected', '422 rejected when the conversion is created'],
];

/** The outcomes of quotes out of BRL, by the exact `max_source_amount`. */
const RETURN_LIMITS: Magic<QuoteOutcome> = [
  ['24.24', 'rejected', '422 rejected, as if the market asked for more than the cap'],
  ['25.25', 'brief', 'expires after one second'],
];

/** The outcomes of verifications, by a word of the full name. */
const VERIFIED_NAMES = [
  ['Fail', 'fails', 'verification FAILED with `other`, at every attempt'],
  ['Ineligible', 'ineligible', 'verification FAILED with `not_eligible`, at every attempt'],
  ['Unreadable', 'unreadable', 'FAILED with `document_unreadable` at the first attempt, then COMPLETED'],
  ['Expired', 'expired', 'FAILED with `document_expired` at the first attempt, then COMPLETED'],
  ['Misspelt', 'misspelt', 'FAILED with `name_mismatch` at the first attempt, then COMPLETED'],
  ['Slow', 'slow', 'PENDING for ten minutes, then COMPLETED'],
  ['Appeal', 'appeals', 'FAILED, a little later COMPLETED after all'],
] as const satisfies Magic;
export type VerificationOutcome = 'completes' | (typeof VERIFIED_NAMES)[number][1];

export const VERIFICATION_FAILURES = [
  'document_unreadable',
  'document_expired',
  'name_mismatch',
  'not_eligible',
  'other',
] as const;
export type VerificationFailure = (typeof VERIFICATION_FAILURES)[number];

/** The outcomes of bank account validations, by a word of the account holder's name. */
const ACCOUNT_HOLDERS = [
  ['Close', 'close', 'CLOSE_MATCH; the bank suggests the name with `Lima` in place of the word'],
  ['Nameless', 'nameless', 'CLOSE_MATCH without a suggested name'],
  ['Mismatch', 'mismatch', 'NO_MATCH'],
  ['Impossible', 'impossible', 'NOT_POSSIBLE: the bank cannot check names of this account'],
  ['Unavailable', 'unavailable', 'UNAVAILABLE: the bank does not answer'],
  ['Outage', 'outage', '503 unavailable'],
  ['Slow', 'slow', 'MATCH after eight seconds, which is too late for a check before a withdrawal'],
] as const satisfies Magic;
export type AccountHolderOutcome = 'matches' | (typeof ACCOUNT_HOLDERS)[number][1];

const chapter = <Title extends string>(title: Title, field: string, rows: Magic<unknown>) => ({
  title,
  field,
  rows: rows.map(([value, , meaning]) => ({ value, meaning })),
});

export type Chapter = (typeof CHAPTERS)[number];

/** The tables of the front page, in the order of a customer's journey. */
export const CHAPTERS = [
  chapter('Verification', 'a word of the full name', VERIFIED_NAMES),
  chapter('Quotes', 'BRL amount', QUOTE_AMOUNTS),
  chapter('Conversions', 'BRL amount', TRANSFER_AMOUNTS),
  chapter('Look-ups', 'PIX key', LOOKED_UP_KEYS),
  chapter('Codes', 'text of a PIX code', CODES),
  chapter('Checks before a PIX payment', 'PIX key (type email)', CHECKED_KEYS),
  chapter('PIX payouts', 'PIX key (type email)', PIX_KEYS),
  chapter('Contestations', 'PIX key (type email); any other: ACCEPTED, a half comes back', CONTESTED_KEYS),
  chapter('Returns', 'BRL amount converted back', [...RETURN_AMOUNTS, ...RETURN_LIMITS]),
  chapter('Withdraws', 'GBP or EUR amount', WITHDRAW_AMOUNTS),
  chapter('Bank account checks', 'a word of the account holder', ACCOUNT_HOLDERS),
];

export function payoutOutcome(
  rail: Schemas['Rail'],
  destination: Schemas['Destination'],
  amount: string,
): PayoutOutcome {
  if (rail !== 'PIX') return exactly(WITHDRAW_AMOUNTS, amount) ?? 'completes';
  return exactly<PayoutOutcome>(PIX_KEYS, keyOf(destination)) ?? 'completes';
}

export const payoutCheckOutcome = (
  destination: Schemas['Destination'],
): PayoutLimit | 'unavailable' | 'allowed' =>
  exactly<PayoutLimit | 'unavailable'>(CHECKED_KEYS, keyOf(destination)) ?? 'allowed';

export const contestationOutcome = (destination: Schemas['Destination']): ContestationOutcome =>
  exactly<ContestationOutcome>(CONTESTED_KEYS, keyOf(destination)) ?? 'half';

const keyOf = (destination: Schemas['Destination']): string =>
  'pix_key' in destination ? destination.pix_key.toLowerCase() : '';

const FIRST_NAMES = ['Ana', 'Bruno', 'Carla', 'Davi', 'Elisa', 'Fernando', 'Gabriela', 'Heitor'];
const LAST_NAMES = ['Almeida', 'Barbosa', 'Cardoso', 'Duarte', 'Esteves', 'Ferreira', 'Gomes', 'Moreira'];
const INSTITUTIONS = ['Banco Estrela', 'Caixa do Bairro', 'Banco do Porto'];

/** Returns the owner of a key. A key that is not in the table has an owner who is always the same. */
export function keyOwner(key: string, type: Schemas['PixKeyType']): KeyOwner | 'unknown' | 'unavailable' {
  const outcome = exactly<KeyOwner | 'unknown' | 'unavailable'>(LOOKED_UP_KEYS, key);
  if (outcome !== undefined) return outcome;
  const number = Buffer.from(key).reduce((sum, byte) => (sum * 31 + byte) % 1_000_003, 7);
  const chosen = (names: string[], place: number): string =>
    names[Math.floor(number / place) % names.length] ?? '';
  const digits = type === 'cpf' ? key : String(number).padStart(11, '0');
  const last = chosen(LAST_NAMES, 8);
  return {
    name: type === 'cnpj' ? `${last} Ltda.` : `${chosen(FIRST_NAMES, 1)} ${last}`,
    taxId: type === 'cnpj' ? key : `***.${digits.slice(3, 6)}.${digits.slice(6, 9)}-**`,
    institution: chosen(INSTITUTIONS, 64),
  };
}

/** Returns the text of the code with this outcome. */
export const magicCode = (wanted: CodeOutcome): string =>
  CODES.find(([, outcome]) => outcome === wanted)?.[0] ?? '';

/** Null for a code that is read by what it says. */
export const codeOutcome = (text: string): CodeOutcome | null => exactly<CodeOutcome>(CODES, text) ?? null;

type Side = { currency: Currency; amount: string };

export function transferOutcome(source: Side, destination: Side): TransferOutcome {
  if (source.currency === 'BRL') return exactly(RETURN_AMOUNTS, source.amount) ?? 'completes';
  if (destination.currency !== 'BRL') return 'completes';
  return exactly<TransferOutcome>(TRANSFER_AMOUNTS, destination.amount) ?? 'completes';
}

/** @param maxSourceAmount the highest source amount that the request allows. */
export function returnQuoteOutcome(source: Currency, maxSourceAmount: string | undefined): QuoteOutcome {
  return (
    (source === 'BRL' && maxSourceAmount !== undefined && exactly(RETURN_LIMITS, maxSourceAmount)) || 'quoted'
  );
}

export function quoteOutcome(currency: Currency, amount: string): QuoteOutcome {
  return (currency === 'BRL' && exactly<QuoteOutcome>(QUOTE_AMOUNTS, amount)) || 'quoted';
}

export function verificationOutcome(fullName: string): VerificationOutcome {
  return byWord<VerificationOutcome>(VERIFIED_NAMES, fullName) ?? 'completes';
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

export const verificationFailure = (
  outcome: VerificationOutcome,
  attempt: number,
): VerificationFailure | null =>
  FAILS_ALWAYS[outcome] ?? (attempt === 1 ? FAILS_FIRST[outcome] : undefined) ?? null;

export const accountHolderOutcome = (name: string): AccountHolderOutcome =>
  byWord<AccountHolderOutcome>(ACCOUNT_HOLDERS, name) ?? 'matches';

/** Returns the name that a bank suggests for one with the word `Close`. It matches. */
export const suggestedName = (name: string): string => name.replaceAll(/close/gi, 'Lima');

function exactly<Outcome>(table: Magic<Outcome>, wanted: string): Outcome | undefined {
  return table.find(([value]) => value === wanted)?.[1];
}

function byWord<Outcome>(table: Magic<Outcome>, name: string): Outcome | undefined {
  const words = name.toLowerCase().split(/[^\p{L}]+/u);
  return table.find(([value]) => words.includes(value.toLowerCase()))?.[1];
}
