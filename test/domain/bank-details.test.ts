import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  bankNumbersOf,
  canonicalBankDetails,
  type EurBankDetails,
  type GbpBankDetails,
} from '../../src/domain/bank-details.ts';
import { maskBankDetails } from '../../src/domain/masking.ts';

const gbp: GbpBankDetails = {
  currency: 'GBP',
  accountHolderName: 'Ana Souza',
  accountNumber: '31926819',
  sortCode: '60-16-13',
};
const eur: EurBankDetails = {
  currency: 'EUR',
  accountHolderName: 'Ana Souza',
  iban: 'DE89370400440532013000',
  bic: 'COBADEFFXXX',
};

test.each([
  ['as they are', gbp, gbp],
  ['with the name trimmed', { ...gbp, accountHolderName: '  Ana Souza\n' }, gbp],
  ['as they are', eur, eur],
  ['with spaces out of the IBAN', { ...eur, iban: ' DE89 3704 0044 0532 0130 00 ' }, eur],
  ['in upper case', { ...eur, iban: eur.iban.toLowerCase(), bic: 'cobadeffxxx' }, eur],
  [
    'without marks and other spaces in pasted numbers',
    { ...eur, iban: '\u2068DE89\u00a03704\u202f0044 0532 0130 00\u2069', bic: '\u00a0COBADEFFXXX\n' },
    eur,
  ],
  ['with a BIC of eight', { ...eur, bic: 'COBADEFF' }, { ...eur, bic: 'COBADEFF' }],
  ['with a branch in digits', { ...eur, bic: 'COBADEFF500' }, { ...eur, bic: 'COBADEFF500' }],
  ['with an IBAN of 64 characters', { ...eur, iban: eur.iban.padEnd(64) }, eur],
  [
    'with a name of 140 characters',
    { ...gbp, accountHolderName: 'A'.repeat(140) },
    { ...gbp, accountHolderName: 'A'.repeat(140) },
  ],
  ['without fields of another currency', { ...eur, sortCode: '60-16-13' }, eur],
])('bank details are kept %s', (_, input, details) => {
  expect(canonicalBankDetails(input)).toEqual({ ok: true, details });
});

test.each([
  'FR1420041010050500013M02606',
  'MT12MALT011000012345MTLCAST00SS',
  'NL91ABNA0417164300',
  'MT84MALT011000012345MTLCAST001S',
])('the IBAN %s is accepted', (iban) => {
  expect(canonicalBankDetails({ ...eur, iban })).toMatchObject({ ok: true, details: { iban } });
});

const codes: Record<string, string> = {
  accountHolderName: 'invalid_name',
  accountNumber: 'invalid_account_number',
  sortCode: 'invalid_sort_code',
  iban: 'invalid_iban',
  bic: 'invalid_bic',
};

test.each([
  ['accountHolderName', { ...gbp, accountHolderName: '' }],
  ['accountHolderName', { ...eur, accountHolderName: ' \t ' }],
  ['accountHolderName', { ...eur, accountHolderName: 'A'.repeat(141) }],
  ['accountHolderName', { ...eur, accountHolderName: 'Ana\0Souza' }],
  ['accountHolderName', { ...gbp, accountHolderName: 'Ana\u202ezuoS' }],
  ['accountHolderName', { ...eur, accountHolderName: 'A\u200bna Souza' }],
  ['accountHolderName', { ...eur, accountHolderName: 'Ana\nSouza' }],
  ['accountNumber', { ...gbp, accountNumber: '3192681' }],
  ['accountNumber', { ...gbp, accountNumber: '319268199' }],
  ['accountNumber', { ...gbp, accountNumber: '3192681A' }],
  ['accountNumber', { ...gbp, accountNumber: '31926819\n' }],
  ['sortCode', { ...gbp, sortCode: '601613' }],
  ['sortCode', { ...gbp, sortCode: '60 16 13' }],
  ['sortCode', { ...gbp, sortCode: '60-16-1' }],
  ['sortCode', { ...gbp, sortCode: '60-16-133' }],
  ['sortCode', { ...gbp, sortCode: '60-**-13' }],
  ['sortCode', { ...gbp, sortCode: '160-16-13' }],
  ['iban', { ...eur, iban: 'DE89370400440532013001' }],
  ['iban', { ...eur, iban: 'DE8937040044053201300' }],
  ['iban', { ...eur, iban: 'DE893704004405320130000' }],
  ['iban', { ...eur, iban: 'XX89370400440532013000' }],
  ['iban', { ...eur, iban: '' }],
  ['iban', { ...eur, iban: '----' }],
  ['iban', { ...eur, iban: 'DE89**************3000' }],
  ['iban', { ...eur, iban: 'D\u0130E89370400440532013000' }],
  ['iban', { ...eur, iban: 'DE89 '.repeat(1_000_000) }],
  ['iban', { ...eur, iban: eur.iban.padEnd(65) }],
  // In upper case, the first and the last letter would become two Latin letters, and the IBANs would be valid.
  ['iban', { ...eur, iban: '\uFB012112345600000785' }],
  ['iban', { ...eur, iban: 'MT12MALT011000012345MTLCAST00\u00DF' }],
  ['bic', { ...eur, bic: '' }],
  ['bic', { ...eur, bic: 'COBADEF' }],
  ['bic', { ...eur, bic: 'COBADEFFX' }],
  ['bic', { ...eur, bic: 'COBADEFFXXXX' }],
  ['bic', { ...eur, bic: 'C0BADEFF' }],
  ['bic', { ...eur, bic: 'COBA DEFF' }],
  ['bic', { ...eur, bic: 'COBA\u202eDEFF' }],
  ['bic', { ...eur, bic: 'COBADE\u017F\u017F' }],
])('bank details with a wrong %s are refused', (field, input) => {
  const result = canonicalBankDetails(input);
  const code = codes[field];
  const fault = { field, code, message: expect.stringMatching(/^[A-Z].+\.$/) as string };
  expect(result).toEqual({ ok: false, faults: [fault] });
});

test.each([
  ['Saudi Arabia', 'SA0380000000608010167519'],
  ['Brazil', 'BR1800360305000010009795493C1'],
  ['Turkey', 'TR330006100519786457841326'],
  ['Ukraine', 'UA213223130000026007233566001'],
  ['Qatar', 'QA58DOHB00001234567890ABCDEFG'],
])('a valid IBAN of %s is refused, because SEPA does not reach it', (_, iban) => {
  expect(canonicalBankDetails({ ...eur, iban })).toEqual({
    ok: false,
    faults: [{ field: 'iban', code: 'iban_outside_sepa', message: 'This account is outside the SEPA area.' }],
  });
});

test('one changed digit of an IBAN is noticed wherever it is', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 21 }), fc.integer({ min: 1, max: 9 }), (place, shift) => {
      const digit = String((Number(eur.iban[place]) + shift) % 10);
      const iban = eur.iban.slice(0, place) + digit + eur.iban.slice(place + 1);
      expect(canonicalBankDetails({ ...eur, iban })).toMatchObject({
        ok: false,
        faults: [{ field: 'iban' }],
      });
    }),
  );
});

test.each([
  [gbp, '60-16-13 31926819'],
  [eur, 'DE89370400440532013000 COBADEFFXXX'],
])('the account of %j is known as %s', (details, numbers) => {
  expect(bankNumbersOf(details)).toBe(numbers);
});

test('the mask shows four digits of an account number and the ends of a sort code', () => {
  expect(maskBankDetails(gbp)).toEqual({ ...gbp, accountNumber: '****6819', sortCode: '60-**-13' });
});

test.each([
  ['DE89370400440532013000', 'COBADEFFXXX', 'DE89**************3000', 'COBA*******'],
  ['NL91ABNA0417164300', 'ABNANL2A', 'NL91**********4300', 'ABNA****'],
])('the mask shows the ends of %s and the bank of %s', (iban, bic, maskedIban, maskedBic) => {
  expect(maskBankDetails({ ...eur, iban, bic })).toEqual({ ...eur, iban: maskedIban, bic: maskedBic });
});

test('masked bank details can never be saved', () => {
  expect(canonicalBankDetails(maskBankDetails(gbp)).ok).toBe(false);
  expect(canonicalBankDetails(maskBankDetails(eur)).ok).toBe(false);
});
