// Checks Brazilian taxpayer numbers, of persons (CPF) and companies (CNPJ). Both end in two check digits, modulo 11.

/**
 * Normalises a CPF.
 * @param input eleven digits, with or without the usual dots and hyphen
 * @returns the eleven digits, or null if they are not a CPF. Eleven equal digits satisfy the checksum but are refused
 */
export function cpf(input: string): string | null {
  const number = input.replaceAll(/[.-]/g, '');
  return /^\d{11}$/.test(number) && isChecked(number, 11) ? number : null;
}

/**
 * Normalises a CNPJ.
 * @param input fourteen characters, with or without dots, slash and hyphen; letters (issued by Receita
 *   Federal since 2026) in either case
 * @returns the fourteen characters in upper case, or null if they are not a CNPJ
 */
export function cnpj(input: string): string | null {
  const number = input.replaceAll(/[./-]/g, '');
  return /^[\da-z]{12}\d{2}$/i.test(number) && isChecked(number.toUpperCase(), 9)
    ? number.toUpperCase()
    : null;
}

function isChecked(number: string, highestWeight: number): boolean {
  if (number === number.charAt(0).repeat(number.length)) return false;
  const first = checkDigit(number.slice(0, -2), highestWeight);
  const second = checkDigit(number.slice(0, -1), highestWeight);
  return number.endsWith(`${first}${second}`);
}

/**
 * Computes a check digit. Weights count up from 2 at the right; for a CNPJ they start again after 9. A
 * character's value is its code minus 48.
 */
function checkDigit(body: string, highestWeight: number): number {
  let sum = 0;
  for (let place = 0; place < body.length; place += 1) {
    const value = body.charCodeAt(body.length - 1 - place) - 48;
    sum += value * (2 + (place % (highestWeight - 1)));
  }
  const remainder = sum % 11;
  return remainder < 2 ? 0 : 11 - remainder;
}
