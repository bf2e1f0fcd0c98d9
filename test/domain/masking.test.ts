// The visible parts of masked bank details and PIX keys. test/domain/bank-details.test.ts tries the lengths of IBANs and BICs.
import { expect, test } from 'vitest';
import { maskBankDetails, maskKeyOnReceipt, maskPixKey, maskTaxId } from '../../src/domain/masking.ts';
import type { PixKeyType } from '../../src/domain/pix-key.ts';

test.each<[PixKeyType, string, string]>([
  ['cpf', '52998224725', '529******25'],
  ['cnpj', '11222333000181', '112*********81'],
  ['phone', '+5511987654321', '+55*******4321'],
  ['email', 'ada@example.com', 'a**@example.com'],
  ['email', 'a@example.com', 'a@example.com'],
  ['evp', '123e4567-e89b-42d3-a456-426614174000', `123${'*'.repeat(31)}00`],
])('a %s key %s is shown as %s', (type, key, shown) => {
  expect(maskPixKey(key, type)).toBe(shown);
});

test.each<[PixKeyType, string, string]>([
  ['cpf', '52998224725', '***.982.247-**'],
  ['cnpj', '11222333000181', '11222333000181'],
  ['phone', '+5511987654321', '+55*******4321'],
  ['email', 'ada@example.com', 'a**@example.com'],
  ['evp', '123e4567-e89b-42d3-a456-426614174000', `123${'*'.repeat(31)}00`],
])('a receipt shows the %s key %s as %s', (type, key, shown) => {
  expect(maskKeyOnReceipt(key, type)).toBe(shown);
});

test('a sort code is shown without its middle, and an account number by its last four digits', () => {
  const details = {
    currency: 'GBP',
    accountHolderName: 'Ada',
    accountNumber: '31926819',
    sortCode: '60-16-13',
  } as const;
  expect(maskBankDetails(details)).toEqual({
    ...details,
    accountNumber: '****6819',
    sortCode: '60-**-13',
  });
});

test('an IBAN is shown by its two ends, and a BIC by its bank', () => {
  const details = {
    currency: 'EUR',
    accountHolderName: 'Ada',
    iban: 'DE89370400440532013000',
    bic: 'COBADEFF',
  } as const;
  expect(maskBankDetails(details)).toEqual({ ...details, iban: 'DE89**************3000', bic: 'COBA****' });
});

test.each([
  ['52998224725', '***.982.247-**'],
  ['529.982.247-25', '***.982.247-**'],
  ['***.982.247-**', '***.982.247-**'],
  ['11.222.333/0001-81', '11.222.333/0001-81'],
])('the tax number %s of a recipient is shown as %s', (number, shown) => {
  expect(maskTaxId(number)).toBe(shown);
});
