// The parts of a bank account, as a person writes them and as the API accepts them.
import type { BankDetailsRequest, HomeCurrency } from '@ponte/client';

type Entry = { label: string; isGood: RegExp; fault: string; input?: Record<string, unknown> };

const NAME: Entry = {
  label: 'Name on the account',
  isGood: /\S/,
  fault: 'Please give the name on the account.',
  input: { autocomplete: 'name' },
};

export const ENTRIES: Record<HomeCurrency, Record<string, Entry>> = {
  GBP: {
    accountHolderName: NAME,
    sortCode: {
      label: 'Sort code',
      isGood: /^\d{6}$/,
      fault: 'A sort code has six digits.',
      input: { inputmode: 'numeric', placeholder: '12-34-56' },
    },
    accountNumber: {
      label: 'Account number',
      isGood: /^\d{8}$/,
      fault: 'An account number has eight digits.',
      input: { inputmode: 'numeric' },
    },
  },
  EUR: {
    accountHolderName: NAME,
    iban: {
      label: 'IBAN',
      isGood: /^[A-Z]{2}\d{2}[A-Z\d]{8,30}$/,
      fault: 'This is not an IBAN.',
      input: { autocapitalize: 'characters' },
    },
    bic: {
      label: 'BIC',
      isGood: /^[A-Z]{6}[A-Z\d]{2}([A-Z\d]{3})?$/,
      fault: 'A BIC has 8 or 11 characters.',
      input: { autocapitalize: 'characters' },
    },
  },
};

/** Whether this version knows the currency's bank details. A server may have currencies that it does not know. */
export const takesDetailsOf = (currency: string): currency is HomeCurrency =>
  Object.hasOwn(ENTRIES, currency);

/** Removes the spaces and dashes that people write between groups. A name only loses the spaces around it. */
export const written = (name: string, value = ''): string =>
  name === 'accountHolderName' ? value.trim() : value.replaceAll(/[\s-]/g, '').toUpperCase();

export function requestOf(currency: HomeCurrency, values: Record<string, string>): BankDetailsRequest {
  const of = (name: string): string => written(name, values[name]);
  const accountHolderName = of('accountHolderName');
  if (currency === 'EUR') return { currency, accountHolderName, iban: of('iban'), bic: of('bic') };
  const sortCode = of('sortCode').replace(/^(..)(..)(..)$/, '$1-$2-$3');
  return { currency, accountHolderName, accountNumber: of('accountNumber'), sortCode };
}
