import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalPixKey, type PixKeyType } from '../../src/domain/pix-key.ts';

const types: PixKeyType[] = ['cpf', 'cnpj', 'phone', 'email', 'evp'];

test.each<[PixKeyType, string, string]>([
  ['cpf', '52998224725', '52998224725'],
  ['cpf', '529.982.247-25', '52998224725'],
  ['cpf', '111.444.777-35', '11144477735'],
  ['cpf', '10000000108', '10000000108'],
  // The sum for the first check digit leaves 2, the smallest remainder whose check digit is not zero.
  ['cpf', '12345600896', '12345600896'],
  ['cpf', `52998224725${'.'.repeat(89)}`, '52998224725'],
  ['cnpj', '11222333000181', '11222333000181'],
  ['cnpj', '11.222.333/0001-81', '11222333000181'],
  ['cnpj', '12ABC34501DE35', '12ABC34501DE35'],
  ['cnpj', '12.abc.345/01de-35', '12ABC34501DE35'],
  ['phone', '+5511987654321', '+5511987654321'],
  ['phone', '+55 (11) 98765-4321', '+5511987654321'],
  ['phone', '+55 61 3414-1414', '+556134141414'],
  ['phone', '+1 (202) 555-0143', '+12025550143'],
  ['phone', '+44 20 7946 0958', '+442079460958'],
  ['email', 'Ana.Souza@Example.COM.br', 'ana.souza@example.com.br'],
  ['email', "o'neil+pix_1@a-b.io", "o'neil+pix_1@a-b.io"],
  ['email', `${'a'.repeat(65)}@example.com`, `${'a'.repeat(65)}@example.com`],
  ['email', "a.b!#$&'*+/=?^_`{|}~-@x--y.z9", "a.b!#$&'*+/=?^_`{|}~-@x--y.z9"],
  ['email', `a@${'b'.repeat(63)}.com`, `a@${'b'.repeat(63)}.com`],
  ['evp', '123E4567-E89B-12D3-A456-426655440000', '123e4567-e89b-12d3-a456-426655440000'],
  ['evp', '00000000-0000-0000-ffff-000000000000', '00000000-0000-0000-ffff-000000000000'],
  // As people paste them: out of contacts, messages, documents and web pages.
  ['cpf', ' 529.982.247-25\n', '52998224725'],
  ['cpf', '529.982.247\u201125', '52998224725'],
  ['cpf', '\u2068529.982.247\u201325\u2069', '52998224725'],
  ['cnpj', '\u00a012.abc.345/01de\u201035\u00a0', '12ABC34501DE35'],
  ['phone', '\u202a+55 11 98765\u20114321\u202c', '+5511987654321'],
  ['phone', '\u2066+55\u00a0(11)\u00a098765\u20134321\u2069', '+5511987654321'],
  ['phone', '\u200e+55\u202f11\u202f98765\u22124321\u200f', '+5511987654321'],
  ['phone', '+55.11.98765.4321', '+5511987654321'],
  ['phone', '\u061c+55 11 98765 4321', '+5511987654321'],
  ['email', '\ufeffAna@Example.com\u200b ', 'ana@example.com'],
  [
    'evp',
    '\t123e4567\u2011e89b\u201112d3\u2011a456\u2011426655440000\r\n',
    '123e4567-e89b-12d3-a456-426655440000',
  ],
])('the %s key %j is kept as %s', (type, input, canonical) => {
  expect(canonicalPixKey(type, input)).toBe(canonical);
});

const refused: Record<PixKeyType, string[]> = {
  cpf: [
    '52998224724',
    '52998224735',
    '5299822472',
    '529982247255',
    '152998224723',
    '529 982 247 25',
    '529/982/247-25',
    '5299822472A',
    `52998224725${'.'.repeat(90)}`,
    '٥٢٩٩٨٢٢٤٧٢٥',
    '529\n98224725',
    '529\u202e98224725\u202c',
    ...Array.from({ length: 10 }, (_, digit) => String(digit).repeat(11)),
  ],
  cnpj: [
    '12ABC34501DE36',
    '12ABC34501DE45',
    '11222333000182',
    '00000000000000',
    '1122233300018',
    '112223330001811',
    '111222333000126',
    '12ABC34501DEA5',
    '12ABÇ34501DE35',
    '12ABC34501dſ35',
  ],
  phone: [
    '11987654321',
    '5511987654321',
    '+55119876543',
    '+55119876543210',
    '+5501987654321',
    '+5511-98765/4321',
    '\u202e+5511987654321',
    '\u202b+5511987654321\u202c',
    '\uff0b5511987654321',
    '+0123456789',
    '+1234567',
    '+1234567890123456',
    '++5511987654321',
    '+',
    '+55119876５4321',
  ],
  email: [
    'ana',
    'ana@',
    '@example.com',
    'ana@example',
    'ana@example.',
    'ana@.com',
    'ana@b@example.com',
    'ana souza@example.com',
    'aná@example.com',
    'ana@exam\u212Ale.com',
    'ana@exam\nple.com',
    'a%b@example.com',
    'ana@-example.com',
    'ana@example-.com',
    'ana@example.-com',
    'ana@example.com-',
    'ana@exa_mple.com',
    'ana@example..com',
    `ana@${'b'.repeat(64)}.com`,
    `${'a'.repeat(66)}@example.com`,
  ],
  evp: [
    '123e4567e89b12d3a456426655440000',
    '{123e4567-e89b-12d3-a456-426655440000}',
    '123e4567-e89b-12d3-a456-42665544000',
    '123e4567-e89b-12d3-a456-4266554400000',
    '123e4567-e89b-12d3-a456-42665544000g',
    'urn:uuid:123e4567-e89b-12d3-a456-426655440000',
  ],
};

/** Inputs that look like a key of the type. Most of them are keys if the type has no check digits. */
const plausible: Record<PixKeyType, fc.Arbitrary<string>> = {
  cpf: fc.stringMatching(/^\d{11}$/),
  cnpj: fc.stringMatching(/^[\dA-Za-z]{12}\d{2}$/),
  phone: fc.stringMatching(/^\+\d{2} ?\(?\d{2}\)? ?\d{4,5}-?\d{4}$/),
  email: fc.emailAddress(),
  evp: fc.uuid().map((text) => text.toUpperCase()),
};

describe.each(types)('%s', (type) => {
  test.each(['', ' ', '\0', '__proto__', ...refused[type]])('an invalid key is refused: %j', (input) => {
    expect(canonicalPixKey(type, input)).toBeNull();
  });

  test('a text of a million characters is refused by its length, before any character is read', () => {
    // Every use of it other than reading its length throws.
    const flood = { length: 1_000_000 } as unknown as string;
    expect(canonicalPixKey(type, flood)).toBeNull();
  });

  // A pattern that backtracks would not end within the time of a test.
  test.each(['1', '.', '-', '+', ' ', 'a', 'a.', 'a@a.', '@'])(
    'the longest text that is read is refused if it repeats %j',
    (piece) => {
      expect(canonicalPixKey(type, piece.repeat(100).slice(0, 100))).toBeNull();
    },
  );

  test('a canonical key stays as it is', () => {
    fc.assert(
      fc.property(plausible[type], (input) => {
        const key = canonicalPixKey(type, input);
        expect(key === null ? null : canonicalPixKey(type, key)).toBe(key);
      }),
    );
  });
});

test('a text of eleven digits is never a phone key, even if it is another key', () => {
  fc.assert(
    fc.property(plausible.cpf, (input) => {
      expect(canonicalPixKey('phone', input)).toBeNull();
    }),
  );
});

test.each<[PixKeyType, RegExp]>([
  ['cpf', /^[1-9]0\d{7}$/],
  ['cnpj', /^[A-Z]0[\dA-Z]{10}$/],
])('only one of a hundred endings makes a %s', (type, body) => {
  const endings = Array.from({ length: 100 }, (_, ending) => String(ending).padStart(2, '0'));
  fc.assert(
    fc.property(fc.stringMatching(body), (start) => {
      expect(endings.filter((ending) => canonicalPixKey(type, start + ending) !== null)).toHaveLength(1);
    }),
  );
});

test.each<[PixKeyType, string]>([
  ['cpf', '52998224725'],
  ['cnpj', '11222333000181'],
  ['cnpj', '12ABC34501DE35'],
])('one wrong digit in the %s %s is noticed wherever it is', (type, key) => {
  for (const [place, right] of Array.from(key).entries()) {
    for (const digit of /\d/.test(right) ? '0123456789'.replace(right, '') : '') {
      expect(canonicalPixKey(type, key.slice(0, place) + digit + key.slice(place + 1))).toBeNull();
    }
  }
});
