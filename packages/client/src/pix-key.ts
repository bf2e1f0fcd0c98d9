// Generated from src/domain/pix-key.ts by scripts/generate.ts; change that, not this.
// Normalises PIX keys to one canonical form per key, the form of Banco Central's directory (DICT).
import { keyboardTextOf } from './plain-text.ts';
import { cnpj, cpf } from './tax-number.ts';

export type PixKeyType = 'cpf' | 'cnpj' | 'phone' | 'email' | 'evp';

const canonical: Record<PixKeyType, (input: string) => string | null> = { cpf, cnpj, phone, email, evp };

/** The maximum length of an input in characters. No key is longer, with any punctuation. Longer texts are refused before any pattern is tried. */
const longestInput = 100;

/**
 * Checks a PIX key against the rules of its type and normalises it to the form in which it is stored, shown and paid to.
 * @param input as typed or pasted: invisible marks, and other kinds of spaces and hyphens, do not change it.
 * @returns the canonical key, or null if the input is not a key of this type
 */
export function canonicalPixKey(type: PixKeyType, input: string): string | null {
  return input.length > longestInput ? null : canonical[type](keyboardTextOf(input));
}

/**
 * Returns the canonical phone number, or null. A plus is required, because eleven digits without it are a CPF.
 * Brazilian area codes have no zero.
 */
function phone(input: string): string | null {
  const dialled = input.replaceAll(/[ ().-]/g, '');
  const pattern = dialled.startsWith('+55') ? /^\+55[1-9]{2}\d{8,9}$/ : /^\+[1-9]\d{7,14}$/;
  return pattern.test(dialled) ? dialled : null;
}

/** DICT's own pattern, with at least one dot in the domain. */
const emailPattern =
  /^[\w.!#$&'*+/=?^`{|}~-]+@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)+$/i;
const longestEmail = 77;

function email(input: string): string | null {
  return input.length <= longestEmail && emailPattern.test(input) ? input.toLowerCase() : null;
}

/** Returns the canonical form of a random key, or null. A random key is a UUID of any version. */
function evp(input: string): string | null {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(input) ? input.toLowerCase() : null;
}
