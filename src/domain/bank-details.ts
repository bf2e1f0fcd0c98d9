// A user's own bank account, to which withdrawals are paid: by FPS in the UK, by SEPA in euros.
import { electronicFormatIBAN, isSEPACountry, isValidIBAN } from 'ibantools';
import type { ErrorDetailCode } from '../../openapi/generated/openapi.ts';
import { isAccountNumber, isBic, isSortCode } from './bank-numbers.ts';

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

/** The maximum length of a name in a payment message (ISO 20022, Max140Text). */
const longestName = 140;

/**
 * The maximum length of an IBAN as a user types it. The longest IBAN has 34 characters; the rest allows for spaces between groups.
 */
const longestIbanInput = 64;

/**
 * Checks bank details and normalises them to the form in which they are sealed and sent. Only the fields of the currency are kept.
 * @returns the details, or every field that is not valid
 */
export function canonicalBankDetails(input: BankDetails): BankDetailsResult {
  const accountHolderName = input.accountHolderName.trim();
  return input.currency === 'GBP' ? inUk(input, accountHolderName) : inSepa(input, accountHolderName);
}

/** Returns the account's identification as one text, without the name of its holder. */
export const bankNumbersOf = (details: BankDetails): string =>
  details.currency === 'GBP'
    ? `${details.sortCode} ${details.accountNumber}`
    : `${details.iban} ${details.bic}`;

function inUk({ accountNumber, sortCode }: GbpBankDetails, accountHolderName: string): BankDetailsResult {
  return resultOf({ currency: 'GBP', accountHolderName, accountNumber, sortCode }, [
    faultOfName(accountHolderName),
    isAccountNumber(accountNumber)
      ? null
      : faultOf('accountNumber', 'invalid_account_number', 'An account number has 8 digits.'),
    isSortCode(sortCode)
      ? null
      : faultOf('sortCode', 'invalid_sort_code', 'A sort code looks like 12-34-56.'),
  ]);
}

function inSepa(input: EurBankDetails, accountHolderName: string): BankDetailsResult {
  const iban = canonicalIban(input.iban);
  return resultOf({ currency: 'EUR', accountHolderName, iban: iban ?? '', bic: input.bic.toUpperCase() }, [
    faultOfName(accountHolderName),
    faultOfIban(iban),
    isBic(input.bic) ? null : faultOf('bic', 'invalid_bic', 'This is not a valid BIC.'),
  ]);
}

function resultOf(details: BankDetails, checks: (BankDetailsFault | null)[]): BankDetailsResult {
  const faults = checks.filter((one) => one !== null);
  return faults.length === 0 ? { ok: true, details } : { ok: false, faults };
}

const faultOfName = (name: string): BankDetailsFault | null =>
  isName(name)
    ? null
    : faultOf('accountHolderName', 'invalid_name', `Enter a name of at most ${longestName} characters.`);

function faultOfIban(iban: string | null): BankDetailsFault | null {
  if (iban === null) return faultOf('iban', 'invalid_iban', 'This is not a valid IBAN.');
  if (isSEPACountry(iban.slice(0, 2))) return null;
  return faultOf('iban', 'iban_outside_sepa', 'This account is outside the SEPA area.');
}

/**
 * Returns the normalised IBAN, or null if it is not valid. The input must be ASCII, because conversion to upper case would turn
 * some foreign letters into Latin ones.
 */
function canonicalIban(input: string): string | null {
  if (input.length > longestIbanInput || !/^[A-Z\d -]+$/i.test(input)) return null;
  const iban = electronicFormatIBAN(input);
  return iban !== null && isValidIBAN(iban) ? iban : null;
}

function isName(text: string): boolean {
  return text !== '' && text.length <= longestName && !/\p{Cc}/u.test(text);
}

const faultOf = (field: string, code: ErrorDetailCode, message: string): BankDetailsFault => ({
  field,
  code,
  message,
});
