// Scanned PIX codes: the examples of the Banco Central, and texts that must not be taken for a code.
import { expect, test } from 'vitest';
import { InvalidBrCode, readBrCode } from '../../packages/client/src/index.ts';

const STATIC =
  '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR' +
  '5913Fulano de Tal6008BRASILIA62070503***63041D3D';
const DYNAMIC =
  '00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd441' +
  '5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***630464E4';

test('a static code of the Banco Central has the key, and leaves the amount to the payer', () => {
  expect(readBrCode(STATIC)).toEqual({
    kind: 'static',
    pixKey: '123e4567-e12b-12d1-a456-426655440000',
    pixKeyType: 'evp',
    url: null,
    amountBrl: null,
    recipientName: 'Fulano de Tal',
    city: 'BRASILIA',
    txid: null,
    message: null,
  });
});

test('a dynamic code of the Banco Central has the address of a charge', () => {
  expect(readBrCode(DYNAMIC)).toMatchObject({
    kind: 'dynamic',
    pixKey: null,
    pixKeyType: null,
    url: 'pix.example.com/8b3da2f39a4140d1a91abd93113bd441',
  });
});

test('a code is read despite what a clipboard adds around it, and with a checksum in small letters', () => {
  expect(readBrCode(`\n ${STATIC.slice(0, -4)}1d3d \n`)).toEqual(readBrCode(STATIC));
});

/** Makes a code of these fields, with a correct checksum. */
function code(
  account: [string, string][],
  { amount, currency = '986' }: { amount?: string; currency?: string } = {},
) {
  const fields: [string, string][] = [
    ['00', '01'],
    ['26', text([['00', 'BR.GOV.BCB.PIX'], ...account])],
    ['52', '0000'],
    ['53', currency],
    ...(amount === undefined ? [] : ([['54', amount]] as [string, string][])),
    ['58', 'BR'],
    ['59', 'Padaria São João'],
    ['60', 'SAO PAULO'],
    ['62', text([['05', 'PEDIDO42']])],
  ];
  const body = `${text(fields)}6304`;
  return body + checksum(body);
}
const text = (fields: [string, string][]): string =>
  fields.map(([tag, value]) => tag + String(value.length).padStart(2, '0') + value).join('');

/** Computes the checksum as the QR code's contract defines it, by long division of its bits. */
function checksum(body: string): string {
  const bits = [...Buffer.from(body), 0, 0].flatMap((byte) =>
    Array.from(byte.toString(2).padStart(8, '0'), Number),
  );
  for (let at = 0; at < 16; at += 1) bits[at] = 1 - (bits[at] ?? 0);
  const divisor = Array.from('10001000000100001', Number);
  for (let at = 0; at + 16 < bits.length; at += 1)
    if (bits[at] === 1) for (const [by, bit] of divisor.entries()) bits[at + by] = (bits[at + by] ?? 0) ^ bit;
  return Number.parseInt(bits.slice(-16).join(''), 2).toString(16).toUpperCase().padStart(4, '0');
}

test.each([
  ['52998224725', 'cpf'],
  ['11222333000181', 'cnpj'],
  ['+5511987654321', 'phone'],
  ['joana@example.com', 'email'],
  ['123e4567-e12b-12d1-a456-426655440000', 'evp'],
])('the key %s has the type %s', (key, type) => {
  expect(readBrCode(code([['01', key]]))).toMatchObject({ pixKey: key, pixKeyType: type });
});

test('the amount, name, reference and message of a code are what the recipient wrote', () => {
  const account: [string, string][] = [
    ['01', 'joana@example.com'],
    ['02', 'Pão de queijo'],
  ];
  expect(readBrCode(code(account, { amount: '12.5' }))).toMatchObject({
    amountBrl: 12.5,
    recipientName: 'Padaria São João',
    txid: 'PEDIDO42',
    message: 'Pão de queijo',
  });
  expect(readBrCode(code(account, { amount: '0.00' })).amountBrl).toBeNull();
});

test.each([
  ['nothing', ''],
  ['an address', 'https://example.com/pay'],
  ['a code with one letter changed', STATIC.replace('Fulano', 'Fulana')],
  ['a code that was cut', STATIC.slice(0, -10)],
  ['a code of another scheme', withChecksum(STATIC.slice(0, -4).replace('br.gov.bcb.pix', 'br.gov.bcb.abc'))],
  ['an amount in dollars', code([['01', 'joana@example.com']], { currency: '840' })],
  ['an amount that is no number', code([['01', 'joana@example.com']], { amount: '1e3' })],
  ['neither a key nor an address', code([['02', 'a message']])],
  [
    'both a key and an address',
    code([
      ['01', 'joana@example.com'],
      ['25', 'pix.example.com/1'],
    ]),
  ],
  ['a field that is longer than the code', withChecksum('0002019999x6304')],
  ['a field that comes twice', withChecksum(`000201${STATIC.slice(0, -4)}`)],
])('a text is not read as a PIX code: %s', (_what, scanned) => {
  expect(() => readBrCode(scanned)).toThrow(InvalidBrCode);
});

function withChecksum(body: string): string {
  return body + checksum(body);
}
