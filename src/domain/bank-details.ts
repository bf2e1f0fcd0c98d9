// A user's own bank account, to which withdrawals are paid: by FPS in the UK, by SEPA in euros.
import { electronicFormatIBAN, isValidIBAN } from 'ibantools';
import type { ErrorDetailCode } from '../../openapi/generated/openapi.ts';
import { canonicalBic, isAccountNumber, isSortCode } from './bank-numbers.ts';
import { canonicalName, keyboardTextOf } from './plain-text.ts';
import { isInSepa } from './sepa-countries.ts';

export type GbpBankDetails = {
  currency: 'GBP';
  accountHolderName: string;
  accountNumber: string;
  sortCode: string;
};

export type EurBankDetails = {
  currency: 'EUR';
  accountHolderName: string;
  iban: string;
  bic: string;
};

export type BankDetails = GbpBankDetails | EurBankDetails;

/** A field that is not valid, with a sentence that never repeats its value. */
type BankDetailsFault = { field: string; message: string; code: ErrorDetailCode };

export type BankDetailsResult =
  | { ok: true; details: BankDetails }
  | { ok: false; faults: BankDetailsFault[] };

/**
 * The maximum length of an IBAN as a user types it. The longest IBAN has 34 characters; the rest allows for spaces between groups.
 */
const longestIbanInput = 64;

/**
 * Checks bank details and normalises them to the form in which they are sealed and sent. Only the fields of the currency are kept.
 * @returns the details, or every field that is not valid
 */
export const canonicalBankDetails = (input: BankDetails): BankDetailsResult =>
  input.currency === 'GBP' ? inUk(input) : inSepa(input);

/** Returns the account's identification as one text, without the name of its holder. */
export const bankNumbersOf = (details: BankDetails): string =>
  details.currency === 'GBP'
    ? `${details.sortCode} ${details.accountNumber}`
    : `${details.iban} ${details.bic}`;

function inUk({ accountHolderName, accountNumber, sortCode }: GbpBankDetails): BankDetailsResult {
  const name = canonicalName(accountHolderName);
  return resultOf({ currency: 'GBP', accountHolderName: name ?? '', accountNumber, sortCode }, [
    faultOfName(name),
    isAccountNumber(accountNumber)
      ? null
      : faultOf('accountNumber', 'invalid_account_number', 'An account number has 8 digits.'),
    isSortCode(sortCode)
      ? null
      : faultOf('sortCode', 'invalid_sort_code', 'A sort code looks like 12-34-56.'),
  ]);
}

function inSepa(input: EurBankDetails): BankDetailsResult {
  const name = canonicalName(input.accountHolderName);
  const iban = canonicalIban(input.iban);
  const bic = canonicalBic(input.bic);
  return resultOf({ currency: 'EUR', accountHolderName: name ?? '', iban: iban ?? '', bic: bic ?? '' }, [
    faultOfName(name),
    faultOfIban(iban),
    bic === null ? faultOf('bic', 'invalid_bic', 'This is not a valid BIC.') : null,
  ]);
}

function resultOf(details: BankDetails, checks: (BankDetailsFault | null)[]): BankDetailsResult {
  const faults = checks.filter((one) => one !== null);
  return faults.length === 0 ? { ok: true, details } : { ok: false, faults };
}

const faultOfName = (name: string | null): BankDetailsFault | null =>
  name === null
    ? faultOf('accountHolderName', 'invalid_name', 'Enter a name of at most 140 visible characters.')
    : null;

function faultOfIban(iban: string | null): BankDetailsFault | null {
  if (iban === null) return faultOf('iban', 'invalid_iban', 'This is not a valid IBAN.');
  if (isInSepa(iban)) return null;
  return faultOf('iban', 'iban_outside_sepa', 'This account is outside the SEPA area.');
}

/**
 * Returns the normalised IBAN, or null if it is not valid. The input must be ASCII, because conversion to upper case would turn
 * some foreign letters into Latin ones.
 */
function canonicalIban(input: string): string | null {
  const typed = input.length > longestIbanInput ? '' : keyboardTextOf(input);
  if (!/^[A-Z\d -]+$/i.test(typed)) return null;
  const iban = electronicFormatIBAN(typed);
  return iban !== null && isValidIBAN(iban) ? iban : null;
}

const faultOf = (field: string, code: ErrorDetailCode, message: string): BankDetailsFault => ({
  field,
  code,
  message,
});
