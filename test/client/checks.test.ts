// The client's checks of typed input, compared with those of the service.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalIban } from '../../packages/client/src/iban.ts';
import { ibanCountries } from '../../packages/client/src/iban-countries.ts';
import {
  canonicalPixKey,
  isAccountNumber,
  isBic,
  isIban,
  isName,
  isPixKey,
  isSepaIban,
  isSortCode,
  type PixKeyType,
} from '../../packages/client/src/index.ts';
import { canonicalBankDetails } from '../../src/domain/bank-details.ts';
import { canonicalPixKey as canonicalPixKeyOfService } from '../../src/domain/pix-key.ts';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

test.each(['bank-numbers.ts', 'pix-key.ts', 'plain-text.ts', 'sepa-countries.ts', 'tax-number.ts'])(
  'the client has the code of %s',
  (name) => {
    const [, ...lines] = read(`packages/client/src/${name}`).split('\n');
    expect(lines.join('\n')).toBe(read(`src/domain/${name}`));
  },
);

test.each<[PixKeyType, string, string | null]>([
  ['cpf', '529.982.247-25', '52998224725'],
  ['cpf', '529.982.247-24', null],
  ['cnpj', '12.abc.345/01de-35', '12ABC34501DE35'],
  ['cnpj', '12ABC34501DE36', null],
  ['phone', '+55 (11) 98765-4321', '+5511987654321'],
  ['phone', '11 98765-4321', null],
  ['email', 'Joana@Example.com', 'joana@example.com'],
  ['email', 'joana', null],
  ['evp', '123E4567-E89B-12D3-A456-426655440000', '123e4567-e89b-12d3-a456-426655440000'],
  ['evp', '123e4567', null],
])('the client and the service make the %s key %s the same key: %s', (type, input, canonical) => {
  expect(canonicalPixKey(type, input)).toBe(canonical);
  expect(canonicalPixKeyOfService(type, input)).toBe(canonical);
  expect(isPixKey(type, input)).toBe(canonical !== null);
});

test.each([
  ['DE89 3704 0044 0532 0130 00', true, true],
  ['fr1420041010050500013m02606', true, true],
  ['NL91-ABNA-0417-1643-00', true, true],
  ['\u2068NL91\u00a0ABNA\u20110417 1643 00\u2069', true, true],
  ['NL91\u202eABNA0417164300', false, false],
  ['BR1800360305000010009795493C1', true, false],
  // The countries that joined SEPA since November 2024.
  ['RS35260005601001611379', true, true],
  ['ME25505000012345678951', true, true],
  ['AL47212110090000000235698741', true, true],
  ['MK07250120000058984', true, true],
  ['MD24AG000225100013104168', true, true],
  ['GI75NWBK000000007099453', true, true],
  ['XK051212012345678906', true, false],
  ['TR330006100519786457841326', true, false],
  ['DE89370400440532013001', false, false],
  ['DE8937040044053201300', false, false],
  ['XX89370400440532013000', false, false],
  ['__proto__', false, false],
  ['', false, false],
  ['DE89370400440532013000'.padEnd(65), false, false],
  ['MT12MALT011000012345MTLCAST00\u00DF', false, false],
])('the text %j is an IBAN: %s, and SEPA pays to it: %s', (input, isAny, isSepa) => {
  expect([isIban(input), isSepaIban(input)]).toEqual([isAny, isSepa]);
  expect(inService(input)).toBe(isSepa ? 'accepted' : isAny ? 'iban_outside_sepa' : 'invalid_iban');
});

test.each([
  ['Ana Souza', true],
  ['A\u200bna', false],
  ['Ana\u202e', false],
  [' ', false],
])('the text %j is a name: %s', (text, expected) => expect(isName(text)).toBe(expected));

test.each([
  ['60-16-13', true],
  ['601613', false],
  ['60-16-1', false],
])('the text %s is a sort code: %s', (text, expected) => expect(isSortCode(text)).toBe(expected));

test.each([
  ['31926819', true],
  ['3192681', false],
  ['٣١٩٢٦٨١٩', false],
])('the text %s is an account number: %s', (text, expected) => expect(isAccountNumber(text)).toBe(expected));

test.each([
  ['COBADEFFXXX', true],
  ['cobadeff', true],
  ['COBADE', false],
  [' COBADEFF\n', true],
  ['COBA DEFF', false],
])('the text %j is a BIC: %s', (text, expected) => expect(isBic(text)).toBe(expected));

const countries = Object.keys(ibanCountries);
/** The countries whose accounts have check digits of their own, which only the service checks. */
const checkedInside = new Set('BA BE CZ EE ES FR HR HU MC ME MK NO PL PT RS SI SK'.split(' '));

/** Account numbers of the country. The library's patterns do not all end where the number ends. */
const accountsIn = (country: string): fc.Arbitrary<string> => {
  const { length = 0, account = /^$/ } = ibanCountries[country] ?? {};
  return fc.stringMatching(account).filter((text) => text.length === length - 4);
};

test.each(countries)(
  'an IBAN of %s with the right check digits is one for the client, and its next neighbour is not',
  (country) => {
    fc.assert(
      fc.property(accountsIn(country), (text) => {
        const iban = withCheckDigits(country, text);
        expect(canonicalIban(iban)).toBe(iban);
        expect(canonicalIban(withNextDigits(iban))).toBeNull();
      }),
      { numRuns: 20 },
    );
  },
);

test.each(countries.filter((country) => !checkedInside.has(country)))(
  'the service decides about an IBAN of %s like the client',
  (country) => {
    fc.assert(
      fc.property(accountsIn(country), fc.boolean(), (text, isRight) => {
        const iban = withCheckDigits(country, text);
        const input = isRight ? iban : withNextDigits(iban);
        expect(inService(input) === 'accepted').toBe(isSepaIban(input));
        expect(inService(input) === 'invalid_iban').toBe(!isIban(input));
      }),
      { numRuns: 20 },
    );
  },
);

test('the client accepts every IBAN that the service accepts', () => {
  const inputs = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.stringMatching(/^[A-Z]{2}\d{2}[A-Z\d ]{10,30}$/),
    fc
      .constantFrom(...countries)
      .chain((country) => accountsIn(country).map((text) => withCheckDigits(country, text))),
  );
  fc.assert(
    fc.property(inputs, (input) => {
      expect(inService(input) === 'invalid_iban' || isIban(input)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

/** The service's decision about an IBAN in bank details. */
function inService(iban: string): string {
  const account = { currency: 'EUR', accountHolderName: 'Ana', bic: 'COBADEFF', iban } as const;
  const result = canonicalBankDetails(account);
  return result.ok ? 'accepted' : (result.faults[0]?.code ?? '');
}

/** Computes the check digits by the definition: 98 minus the remainder of the whole number. */
function withCheckDigits(country: string, account: string): string {
  const digits = Array.from(`${account}${country}00`, (letter) => String(Number.parseInt(letter, 36)));
  const check = 98n - (BigInt(digits.join('')) % 97n);
  return `${country}${String(check).padStart(2, '0')}${account}`;
}

const withNextDigits = (iban: string): string => {
  const next = (Number(iban.slice(2, 4)) + 1) % 100;
  return `${iban.slice(0, 2)}${String(next).padStart(2, '0')}${iban.slice(4)}`;
};
