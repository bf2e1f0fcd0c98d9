// Checks what a user types, offline and by the rules of the service. They save a request; the service decides.
import { canonicalIban, isInSepa } from './iban.ts';
import { canonicalPixKey, type PixKeyType } from './pix-key.ts';

/** Returns whether a text is a PIX key of this type, with or without the usual punctuation. */
export const isPixKey = (type: PixKeyType, input: string): boolean => canonicalPixKey(type, input) !== null;

/** Returns whether a text is an IBAN to which SEPA pays. Spaces and lower case are accepted. */
export function isSepaIban(input: string): boolean {
  const iban = canonicalIban(input);
  return iban !== null && isInSepa(iban);
}

/** Returns whether a text is an IBAN of any country. Spaces and lower case are accepted. */
export const isIban = (input: string): boolean => canonicalIban(input) !== null;
