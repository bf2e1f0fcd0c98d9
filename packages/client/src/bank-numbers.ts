// Generated from src/domain/bank-numbers.ts by scripts/generate.ts; change that, not this.
// Checks the numbers of bank accounts by their form.
import { keyboardTextOf } from './plain-text.ts';

/** The maximum length of a BIC as a user types or pastes it. */
const longestBicInput = 64;

/** Returns whether a text is the number of an account in the United Kingdom: eight digits, leading zeros included. */
export const isAccountNumber = (text: string): boolean => /^\d{8}$/.test(text);

/** Returns whether a text is a sort code in the form `12-34-56`. */
export const isSortCode = (text: string): boolean => /^\d{2}-\d{2}-\d{2}$/.test(text);

/**
 * Normalises a BIC: four letters for the bank, two for the country, two characters for the location, and three more for a branch
 * (ISO 9362).
 * @param input as typed or pasted, in either case.
 * @returns the BIC in upper case, or null if the text does not have its form
 */
export function canonicalBic(input: string): string | null {
  const bic = input.length > longestBicInput ? '' : keyboardTextOf(input);
  return /^[A-Z]{6}[A-Z\d]{2}(?:[A-Z\d]{3})?$/i.test(bic) ? bic.toUpperCase() : null;
}
