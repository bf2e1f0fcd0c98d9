// Checks what a user types, offline and by the rules of the service. They save a request; the service decides.
import { canonicalBic } from './bank-numbers.ts';
import { canonicalIban } from './iban.ts';
import { canonicalPixKey, type PixKeyType } from './pix-key.ts';
import { canonicalName } from './plain-text.ts';
import { isInSepa } from './sepa-countries.ts';

/**
 * Returns whether a text is a name of an account holder or a recipient: 1 to 140 characters, and none that hides or reorders any of it.
 */
export const isName = (text: string): boolean => canonicalName(text) !== null;

/** Returns whether a text is a PIX key of this type, with or without the usual punctuation. */
export const isPixKey = (type: PixKeyType, input: string): boolean => canonicalPixKey(type, input) !== null;

/** Returns whether a text is an IBAN to which SEPA pays. Spaces and lower case are accepted. */
export function isSepaIban(input: string): boolean {
  const iban = canonicalIban(input);
  return iban !== null && isInSepa(iban);
}

/** Returns whether a text is an IBAN of any country. Spaces and lower case are accepted. */
export const isIban = (input: string): boolean => canonicalIban(input) !== null;

/** Returns whether a text has the form of a BIC, in either case. */
export const isBic = (input: string): boolean => canonicalBic(input) !== null;
