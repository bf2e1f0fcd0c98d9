// Masks bank details and PIX keys for display: their owner can recognise them, but they cannot be used.
import type { BankDetails } from './bank-details.ts';
import type { PixKeyType } from './pix-key.ts';
import { cpf } from './tax-number.ts';

/**
 * Masks the account in canonical bank details. The holder's name is not masked. IBAN and BIC keep their lengths; an account number
 * is always shown as four asterisks and its last four digits.
 */
export function maskBankDetails(details: BankDetails): BankDetails {
  if (details.currency === 'GBP') {
    const { accountNumber, sortCode } = details;
    return {
      ...details,
      accountNumber: `****${accountNumber.slice(-4)}`,
      sortCode: `${sortCode.slice(0, 2)}-**-${sortCode.slice(-2)}`,
    };
  }
  return { ...details, iban: keepEnds(details.iban, 4, 4), bic: keepEnds(details.bic, 4, 0) };
}

function keepEnds(text: string, head: number, tail: number): string {
  const hidden = Math.max(0, text.length - head - tail);
  return text.slice(0, head) + '*'.repeat(hidden) + text.slice(head + hidden);
}

/**
 * Masks a CPF as PIX does, if it is complete. Every other text is returned as it is: it is masked already, or a company's number, which is
 * public.
 */
export function maskTaxId(text: string): string {
  const number = cpf(text);
  return number === null ? text : `***.${number.slice(3, 6)}.${number.slice(6, 9)}-**`;
}

/** Masks a canonical PIX key as receipts do, which other people see. A CPF has its middle digits, and a CNPJ is public. */
export function maskKeyOnReceipt(key: string, type: PixKeyType): string {
  if (type === 'cnpj') return key;
  return type === 'cpf' ? maskTaxId(key) : maskPixKey(key, type);
}

/** Masks a canonical PIX key so that its owner can still recognise it. */
export function maskPixKey(key: string, type: PixKeyType): string {
  if (type === 'email') return keepEnds(key, 1, key.length - key.lastIndexOf('@'));
  return type === 'phone' ? keepEnds(key, 3, 4) : keepEnds(key, 3, 2);
}
