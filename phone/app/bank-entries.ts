// The parts of a bank account, as a person writes them and as the API accepts them.
import {
  type BankDetailsRequest,
  type HomeCurrency,
  isAccountNumber,
  isBic,
  isIban,
  isName,
  isSepaIban,
  isSortCode,
  PonteError,
} from '@ponte/client';
import { t } from './texts/t.ts';

type Entry = {
  label: string;
  /** Returns the value as the API expects it. */
  written: (value: string) => string;
  isGood: (written: string) => boolean;
  fault: (written: string) => string;
  input?: Record<string, unknown>;
};

/** Leaves the letters and digits: people write and paste all kinds of spaces, dashes and marks between groups. */
const bare = (value: string): string => value.replaceAll(/[^\p{L}\p{N}]/gu, '').toUpperCase();

const NAME: Entry = {
  label: t('Name on the account'),
  written: (value) => value.trim(),
  isGood: isName,
  fault: (name) =>
    name === ''
      ? t('Please give the name on the account.')
      : t('Please type this name: it has hidden characters.'),
  input: { autocomplete: 'name' },
};

export const ENTRIES: Record<HomeCurrency, Record<string, Entry>> = {
  GBP: {
    accountHolderName: NAME,
    sortCode: {
      label: t('Sort code'),
      written: (value) => bare(value).replace(/^(..)(..)(..)$/, '$1-$2-$3'),
      isGood: isSortCode,
      fault: () => t('A sort code has six digits.'),
      input: { inputmode: 'numeric', placeholder: '12-34-56' },
    },
    accountNumber: {
      label: t('Account number'),
      written: bare,
      isGood: isAccountNumber,
      fault: () => t('An account number has eight digits.'),
      input: { inputmode: 'numeric' },
    },
  },
  EUR: {
    accountHolderName: NAME,
    iban: {
      label: 'IBAN',
      written: bare,
      isGood: isSepaIban,
      fault: (iban) => (isIban(iban) ? t('We cannot pay to this country.') : t('This is not an IBAN.')),
      input: { autocapitalize: 'characters' },
    },
    bic: {
      label: 'BIC',
      written: bare,
      isGood: isBic,
      fault: () => t('A BIC has 8 or 11 characters.'),
      input: { autocapitalize: 'characters' },
    },
  },
};

/** Whether this version knows the currency's bank details. A server may have currencies that it does not know. */
export const takesDetailsOf = (currency: string): currency is HomeCurrency =>
  Object.hasOwn(ENTRIES, currency);

type Values = Record<string, string>;

const writtenIn = (currency: HomeCurrency, values: Values): Values =>
  Object.fromEntries(
    Object.entries(ENTRIES[currency]).map(([name, entry]) => [name, entry.written(values[name] ?? '')]),
  );

/** Returns a sentence for each part that cannot be right. */
export function faultsIn(currency: HomeCurrency, values: Values): Values {
  const written = writtenIn(currency, values);
  const faulty = Object.entries(ENTRIES[currency]).filter(
    ([name, { isGood }]) => !isGood(written[name] ?? ''),
  );
  return Object.fromEntries(faulty.map(([name, { fault }]) => [name, fault(written[name] ?? '')]));
}

/** Returns a sentence for each part that the API names as mistyped. It checks more than the phone can. */
export function faultsOf(error: unknown): Values {
  const details = error instanceof PonteError ? error.details : [];
  const mistyped = details.filter(({ code }) => code !== undefined);
  return Object.fromEntries(
    mistyped.map(({ path }) => [path.replace('/body/', ''), t('Please check this.')]),
  );
}

export function requestOf(currency: HomeCurrency, values: Values): BankDetailsRequest {
  const {
    accountHolderName = '',
    accountNumber = '',
    sortCode = '',
    iban = '',
    bic = '',
  } = writtenIn(currency, values);
  return currency === 'EUR'
    ? { currency, accountHolderName, iban, bic }
    : { currency, accountHolderName, accountNumber, sortCode };
}
