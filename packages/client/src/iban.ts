// Checks IBANs: the country, the length, the kinds of characters, and the check digits (ISO 13616). The service also checks the check
// digits that some countries have inside the account, so it refuses a few IBANs that pass here, and accepts none that fails here.
import { ibanCountries } from './iban-countries.ts';
import { keyboardTextOf } from './plain-text.ts';

/** The maximum length of an IBAN as a user types it: 34 characters, with spaces. */
const longestInput = 64;

/**
 * Normalises an IBAN.
 * @param input as typed or pasted, with or without spaces and hyphens, in either case.
 * @returns the IBAN in upper case without spaces, or null if it is not valid.
 */
export function canonicalIban(input: string): string | null {
  const typed = input.length > longestInput ? '' : keyboardTextOf(input);
  if (!/^[A-Z\d -]+$/i.test(typed)) return null;
  const iban = typed.replaceAll(/[ -]/g, '').toUpperCase();
  const country = countryOf(iban);
  if (country === undefined || iban.length !== country.length) return null;
  if (!country.account.test(iban.slice(4)) || !/^\d{2}$/.test(iban.slice(2, 4))) return null;
  return hasCheckDigits(iban) ? iban : null;
}

const countryOf = (iban: string) => {
  const code = iban.slice(0, 2);
  return Object.hasOwn(ibanCountries, code) ? ibanCountries[code] : undefined;
};

/** The first four characters go to the end, letters count from A as 10, and the number is then 1 modulo 97. */
function hasCheckDigits(iban: string): boolean {
  let remainder = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  const checkDigits = Number(iban.slice(2, 4));
  return remainder === 1 && checkDigits >= 2 && checkDigits <= 98;
}
