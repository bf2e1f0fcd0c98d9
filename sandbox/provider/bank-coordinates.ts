// Generates account numbers and IBANs of the sandbox's own bank. The numbers count up, and the check digits are correct.
import type { Currency } from '../money.ts';

const SORT_CODE = '04-00-75';
const BANK_CODE = '99999999';
const BIC = 'PONTDEFFXXX';

export interface Coordinates {
  account_number: string | null;
  sort_code: string | null;
  iban: string | null;
  bic: string | null;
}

const NONE: Coordinates = { account_number: null, sort_code: null, iban: null, bic: null };

/** Returns the coordinates. `serial` is unique among accounts, so the result is unique as well. */
export function coordinatesFor(currency: Currency, serial: number): Coordinates {
  if (currency === 'GBP')
    return { ...NONE, account_number: String(10_000_000 + serial), sort_code: SORT_CODE };
  if (currency === 'EUR') return { ...NONE, iban: germanIban(String(serial).padStart(10, '0')), bic: BIC };
  return NONE;
}

function germanIban(accountNumber: string): string {
  // The letter D counts as 13 and E as 14. The check digits are 00 during the computation.
  const remainder = BigInt(`${BANK_CODE}${accountNumber}131400`) % 97n;
  return `DE${String(98n - remainder).padStart(2, '0')}${BANK_CODE}${accountNumber}`;
}
