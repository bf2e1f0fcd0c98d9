// Maps the provider's replies to the service's own types: snake_case names, upper-case values and decimal amounts become our names,
// values and minor units.
import { type KycFailureCode, kycFailureCodes } from '../../machines/kyc.machine.ts';
import type { BankDetails } from '../domain/bank-details.ts';
import type { Currency, Places } from '../domain/currency.ts';
import { maskTaxId } from '../domain/masking.ts';
import { parseDecimal } from '../domain/money.ts';
import { type PayoutFailure, payoutFailureCodes, payoutLimits } from '../domain/payout-failures.ts';
import { canonicalPixKey, type PixKeyType } from '../domain/pix-key.ts';
import { canonicalName, plainTextOf } from '../domain/plain-text.ts';
import { normaliseRate } from '../domain/rates.ts';
import { UnreadableReply } from './errors.ts';
import type {
  AccountSnapshot,
  BankValidation,
  BrCode,
  ContestationSnapshot,
  Movement,
  OwnerSnapshot,
  PayoutDestination,
  PayoutDetails,
  PayoutSnapshot,
  PixKeyOwner,
  TransferDetails,
  TransferSnapshot,
} from './port.ts';
import type { QuoteReply } from './quote-reply.ts';
import type { Wire, WireOperation } from './wire.ts';

export const ownerFrom = (owner: Wire['Owner']): OwnerSnapshot => ({
  kind: 'owner',
  ...identityOf(owner.uuid, owner.external_id, owner.updated_at),
  status: lower(owner.status),
  level: owner.level === null ? null : lower(owner.level),
  attempt: owner.attempt ?? 1,
  failureCode: owner.status === 'FAILED' ? kycFailureCodeFrom(owner.failure_code) : null,
  verificationUrl: owner.verification_url,
  verificationUrlExpiresAt: dateOrNull(owner.verification_url_expires_at),
  fullName: storable(owner.full_name),
  email: storable(owner.email),
  completedAt: dateOrNull(owner.completed_at),
});

export const accountFrom = (account: Wire['Account']): AccountSnapshot => ({
  kind: 'account',
  ...identityOf(account.uuid, account.external_id, account.updated_at),
  currency: account.currency,
  status: lower(account.status),
  balanceMinor: parseDecimal(account.balance, account.currency),
  depositInstructions:
    account.deposit_instructions && bankDetailsFrom(account.currency, account.deposit_instructions),
});

export const transferFrom = (transfer: Wire['InternalTransfer']): TransferSnapshot => ({
  kind: 'transfer',
  ...identityOf(transfer.uuid, transfer.origin_id, transfer.updated_at),
  status: lower(transfer.status),
  sourceAccountRef: transfer.source_account_uuid.toLowerCase(),
  destinationAccountRef: transfer.destination_account_uuid.toLowerCase(),
  sourceAmountMinor: parseByPlaces(transfer.source_amount),
  destinationAmountMinor: parseByPlaces(transfer.destination_amount),
  sourcePlaces: placesOf(transfer.source_amount),
  destinationPlaces: placesOf(transfer.destination_amount),
  rate: normaliseRate(transfer.rate),
  failureReason: storable(transfer.failure_reason),
});

export const payoutFrom = (payout: Wire['Payout']): PayoutSnapshot => ({
  kind: 'payout',
  ...identityOf(payout.uuid, payout.origin_id, payout.updated_at),
  status: payout.status === 'ERROR' ? 'failed' : lower(payout.status),
  attempt: payout.attempt,
  sourceAccountRef: payout.source_account_uuid.toLowerCase(),
  destination: destinationFrom(payout),
  amountMinor: parseDecimal(payout.amount, payout.currency),
  currency: payout.currency,
  endToEndId: storable(payout.end_to_end_id),
  voucherId: storable(payout.voucher_id),
  failureReason: storable(payout.failure_reason),
  payoutFailure: payoutFailureFrom(payout),
  refunds: (payout.refunds ?? []).map(({ movement_uuid, amount, created_at }) => ({
    movementRef: movement_uuid.toLowerCase(),
    amountMinor: parseDecimal(amount, payout.currency),
    creditedAt: new Date(created_at),
  })),
});

export const contestationFrom = (contestation: Wire['Contestation']): ContestationSnapshot => ({
  kind: 'contestation',
  ...identityOf(contestation.uuid, contestation.origin_id, contestation.updated_at),
  status: lower(contestation.status),
  resolvedAt: dateOrNull(contestation.resolved_at),
});

export const transferDetailsFrom = (transfer: Wire['InternalTransfer']): TransferDetails => ({
  snapshot: transferFrom(transfer),
  quoteRef: transfer.quote_uuid.toLowerCase(),
});

export const payoutDetailsFrom = (payout: Wire['Payout']): PayoutDetails => ({
  snapshot: payoutFrom(payout),
});

export const movementFrom = (movement: Wire['Movement']): Movement => ({
  kind: 'movement',
  providerRef: movement.uuid,
  accountRef: movement.account_uuid,
  direction: lower(movement.direction),
  purpose: lower(movement.kind),
  amountMinor: parseDecimal(movement.amount, movement.currency),
  currency: movement.currency,
  sourceReference: storable(movement.source_reference),
  createdAt: new Date(movement.created_at),
});

/**
 * Maps the owner of a key.
 * @throws UnreadableReply if the reply is about another key, or does not say who owns it.
 */
export function pixKeyOwnerFrom(
  { pixKey, pixKeyType }: { pixKey: string; pixKeyType: PixKeyType },
  reply: Wire['PixKeyLookup'],
): PixKeyOwner {
  const isAboutKey =
    reply.pix_key_type === pixKeyType && canonicalPixKey(pixKeyType, reply.pix_key ?? '') === pixKey;
  if (!isAboutKey) throw new UnreadableReply('createPixKeyLookup', 'is about another key');
  return {
    lookupRef: reply.uuid.toLowerCase(),
    name: shownText('createPixKeyLookup', reply.recipient_name),
    taxIdMasked: maskTaxId(shownText('createPixKeyLookup', reply.recipient_tax_id)),
    institution: shownText('createPixKeyLookup', reply.institution_name),
  };
}

/**
 * Maps a code.
 * @throws UnreadableReply if it does not say whom it pays, fixes no amount that can be paid, or has a charge without an id. Without the
 *   id, two payments could pay the charge.
 */
export function brCodeFrom(reply: Wire['BrCode']): BrCode {
  const { kind, pix_key_type: pixKeyType, amount_is_fixed: isAmountFixed } = reply;
  const pixKey = canonicalPixKey(pixKeyType, reply.pix_key);
  const amountBrlMinor = reply.amount === null ? null : parseDecimal(reply.amount, 'BRL');
  const chargeRef = reply.charge_uuid?.toLowerCase() ?? null;
  if (pixKey === null) throw new UnreadableReply('createBrCode', 'has no PIX key');
  if (amountBrlMinor === 0 || (isAmountFixed && amountBrlMinor === null))
    throw new UnreadableReply('createBrCode', 'fixes no amount');
  const code = {
    codeRef: reply.uuid.toLowerCase(),
    pixKey,
    pixKeyType,
    name: shownText('createBrCode', reply.recipient_name),
    institution: shownText('createBrCode', reply.institution_name),
    amountBrlMinor,
    isAmountFixed,
  };
  if (kind === 'STATIC') return { ...code, kind: 'static', chargeRef: null, chargeExpiresAt: null };
  if (chargeRef === null) throw new UnreadableReply('createBrCode', 'does not name its charge');
  return { ...code, kind: 'dynamic', chargeRef, chargeExpiresAt: dateOrNull(reply.expires_at) };
}

/**
 * Maps the answer to a check. A payout that is not allowed without the name of a limit has another reason.
 * @param now this process's clock: the answer has no time of its own.
 */
export function payoutCheckFrom(
  { allowed, limit, resets_at }: Wire['PayoutCheck'],
  now: Date,
): PayoutFailure | null {
  if (allowed) return null;
  if (limit === null || limit === undefined) return { code: 'other', limit: null, retryFrom: null };
  return { code: 'limit_reached', ...limitFrom(limit, resets_at, now) };
}

/**
 * Maps the bank's answer. The suggested name is one that the user can save: a name with hidden characters is not suggested, and a bank
 * that says that the account belongs to somebody else must not say to whom.
 */
export const bankValidationFrom = ({
  status,
  matched_name,
}: Wire['BankAccountValidation']): BankValidation => ({
  status: lower(status),
  suggestedName: status === 'CLOSE_MATCH' ? canonicalName((matched_name ?? '').toWellFormed()) : null,
});

export const quoteFrom = (quote: Wire['Quote']): QuoteReply => ({
  providerRef: quote.uuid,
  sourceCurrency: quote.source_currency,
  destinationCurrency: quote.destination_currency,
  markupBps: quote.markup_bps,
  subsidyMinor: parseDecimal(quote.subsidy_amount, quote.source_currency),
  sourceAmountMinor: parseDecimal(quote.source_amount, quote.source_currency),
  destinationAmountMinor: parseDecimal(quote.destination_amount, quote.destination_currency),
  rate: normaliseRate(quote.rate),
  expiresAt: new Date(quote.expires_at),
});

export const bankFields = (details: BankDetails) =>
  details.currency === 'GBP'
    ? {
        account_holder_name: details.accountHolderName,
        account_number: details.accountNumber,
        sort_code: details.sortCode,
      }
    : { account_holder_name: details.accountHolderName, iban: details.iban, bic: details.bic };

const identityOf = (uuid: string, handle: string, updatedAt: string) => ({
  handle,
  providerRef: uuid.toLowerCase(),
  updatedAt: new Date(updatedAt),
});

// The codes are optional for a provider, and a code that we do not know must not make the object unreadable.
function payoutFailureFrom({
  failure_code,
  failure_limit,
  retry_from,
  updated_at,
}: Wire['Payout']): PayoutFailure | null {
  if (failure_code === null || failure_code === undefined) return null;
  const code = payoutFailureCodes.find((one) => one === failure_code) ?? 'other';
  if (code !== 'limit_reached') return { code, limit: null, retryFrom: null };
  return { code, ...limitFrom(failure_limit, retry_from, new Date(updated_at)) };
}

/** Reads a limit and its end, as reported at a time of the provider's clock. */
function limitFrom(name: string | null | undefined, end: string | null | undefined, now: Date) {
  const limit = payoutLimits.find((one) => one === name) ?? null;
  // The limit of one payment does not end.
  return { limit, retryFrom: limit === 'per_payment' ? null : limitEndFrom(end, now) };
}

/** A limit that ends later than this is taken for a fault: it would keep users from a retry for long. */
const LONGEST_LIMIT_MS = 31 * 24 * 60 * 60_000;

/** Returns when a limit ends. Null if that cannot be read, or is too late to be true. */
function limitEndFrom(text: string | null | undefined, now: Date): Date | null {
  const end = new Date(text ?? Number.NaN);
  return Math.abs(end.getTime() - now.getTime()) <= LONGEST_LIMIT_MS ? end : null;
}

const kycFailureCodeFrom = (code: string | null | undefined): KycFailureCode | null =>
  code === null || code === undefined ? null : (kycFailureCodes.find((one) => one === code) ?? 'other');

function destinationFrom({ rail, destination }: Wire['Payout']): PayoutDestination {
  if (rail === 'PIX' && 'pix_key' in destination)
    return {
      rail,
      pixKey: destination.pix_key,
      pixKeyType: destination.pix_key_type,
      recipientName: destination.recipient_name,
    };
  if (rail !== 'PIX' && !('pix_key' in destination)) {
    const details = bankDetailsFrom(rail === 'FPS' ? 'GBP' : 'EUR', destination);
    if (details !== null) return { rail, details };
  }
  throw new RangeError(`a destination that does not fit ${rail}`);
}

type BankFields = NonNullable<Wire['Account']['deposit_instructions']>;

/** Null if a field that the currency needs is missing. */
function bankDetailsFrom(currency: Currency, fields: BankFields): BankDetails | null {
  const { account_holder_name: accountHolderName, account_number: accountNumber, iban, bic } = fields;
  const { sort_code: sortCode } = fields;
  if (currency === 'GBP' && accountNumber && sortCode)
    return { currency, accountHolderName, accountNumber, sortCode };
  return currency === 'EUR' && iban && bic ? { currency, accountHolderName, iban, bic } : null;
}

// A transfer does not name its currencies. Callers that know its accounts compare these decimal places with the accounts' currencies.
const placesOf = (text: string): Places => (/\.\d{6}$/.test(text) ? 6 : 2);
const parseByPlaces = (text: string): number => parseDecimal(text, placesOf(text) === 6 ? 'USDC' : 'BRL');

/** The maximum length in characters. An index entry of PostgreSQL holds at most 2,704 bytes, and a character takes at most four. */
const LONGEST_TEXT = 500;

/**
 * Makes a text storable: PostgreSQL rejects U+0000 and lone surrogates, and an index rejects a long text. Otherwise an unusual receipt
 * could keep a completed payment unfinished.
 */
function storable<Text extends string | null>(text: Text): Text | string {
  return text === null
    ? text
    : Array.from(text.toWellFormed().replaceAll('\0', '')).slice(0, LONGEST_TEXT).join('');
}
/** The maximum length of a name that is shown, as in payment messages. */
const LONGEST_SHOWN = 140;

/** Returns a text that is shown to a user before a payment. @throws UnreadableReply if nothing of it can be seen. */
function shownText(operation: WireOperation, text: string | null): string {
  const visible = Array.from(plainTextOf((text ?? '').toWellFormed()))
    .slice(0, LONGEST_SHOWN)
    .join('');
  if (visible === '') throw new UnreadableReply(operation, 'does not say who is paid');
  return visible;
}

const dateOrNull = (text: string | null): Date | null => (text === null ? null : new Date(text));
const lower = <Text extends string>(text: Text) => text.toLowerCase() as Lowercase<Text>;
