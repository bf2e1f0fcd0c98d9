// A user's own bank account, to which withdrawals are paid: by FPS in the UK, by SEPA in euros.
import { electronicFormatIBAN, isSEPACountry, isValidIBAN } from 'ibantools';

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

export type BankDetailsResult =
  | { ok: true; details: BankDetails }
  | { ok: false; field: string; message: string };

/** The maximum length of a name in a payment message (ISO 20022, Max140Text). */
const longestName = 140;

/**
 * The maximum length of an IBAN as a user types it. The longest IBAN has 34 characters; the rest allows for spaces between groups.
 */
const longestIbanInput = 64;

/** Four letters for the bank, two for the country, two characters for the location, and three more for a branch (ISO 9362). */
const bicPattern = /^[A-Z]{6}[A-Z\d]{2}(?:[A-Z\d]{3})?$/i;

/**
 * Checks bank details and normalises them to the form in which they are sealed and sent. Only the fields of the currency are kept.
 * @returns the details, or the first invalid field with a sentence for the user, which never repeats the value
 */
export function canonicalBankDetails(input: BankDetails): BankDetailsResult {
  const accountHolderName = input.accountHolderName.trim();
  if (!isName(accountHolderName)) {
    return refused('accountHolderName', `Enter a name of at most ${longestName} characters.`);
  }
  return input.currency === 'GBP' ? inUk(input, accountHolderName) : inSepa(input, accountHolderName);
}

/** Returns the account's identification as one text, without the name of its holder. */
export const bankNumbersOf = (details: BankDetails): string =>
  details.currency === 'GBP'
    ? `${details.sortCode} ${details.accountNumber}`
    : `${details.iban} ${details.bic}`;

function inUk({ accountNumber, sortCode }: GbpBankDetails, accountHolderName: string): BankDetailsResult {
  if (!/^\d{8}$/.test(accountNumber)) return refused('accountNumber', 'An account number has 8 digits.');
  if (!/^\d{2}-\d{2}-\d{2}$/.test(sortCode)) return refused('sortCode', 'A sort code looks like 12-34-56.');
  return { ok: true, details: { currency: 'GBP', accountHolderName, accountNumber, sortCode } };
}

function inSepa(input: EurBankDetails, accountHolderName: string): BankDetailsResult {
  const iban = canonicalIban(input.iban);
  if (iban === null) return refused('iban', 'This is not a valid IBAN.');
  if (!isSEPACountry(iban.slice(0, 2))) return refused('iban', 'This account is outside the SEPA area.');
  if (!bicPattern.test(input.bic)) return refused('bic', 'This is not a valid BIC.');
  return { ok: true, details: { currency: 'EUR', accountHolderName, iban, bic: input.bic.toUpperCase() } };
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

function refused(field: string, message: string): BankDetailsResult {
  return { ok: false, field, message };
}
