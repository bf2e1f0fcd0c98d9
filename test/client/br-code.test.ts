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
  ['529.982.247-25', 'cpf'],
  [' 52998224725', 'cpf'],
  ['11.222.333/0001-81', 'cnpj'],
  ['12abc34501de35', 'cnpj'],
  ['+55 (11) 98765-4321', 'phone'],
  ['\u200e+5511987654321', 'phone'],
  [' Joana@Example.com', 'email'],
  ['123E4567-E12B-12D1-A456-426655440000', 'evp'],
  // Wrong check digits: the payer is told that the key is wrong.
  ['52998224724', 'cpf'],
  ['12ABC34501DE36', 'cnpj'],
  ['11987654321', 'cpf'],
  ['5511987654321', null],
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

test('the amount and the reference of a dynamic code are not returned, because only its charge decides', () => {
  const dynamic = code([['25', 'pix.example.com/8b3da2f3']], { amount: '12.50' });
  expect(readBrCode(dynamic)).toMatchObject({ kind: 'dynamic', amountBrl: null, txid: null });
  expect(readBrCode(code([['25', 'pix.example.com/8b3da2f3']], { amount: '1e3' })).amountBrl).toBeNull();
});

test.each([
  ['is not TLV', '*** visit us! ***'],
  ['is cut', '0014com.example.pa0199x'],
  ['has a tag twice', '0003com0003org'],
])('a code is read if the template of another scheme %s', (_what, template) => {
  const foreign = text([['26', template]]);
  const body = STATIC.slice(6, -4).replace(/^26/, '27');
  expect(readBrCode(withChecksum(`000201${foreign}${body}`))).toEqual(readBrCode(STATIC));
});

test('a code is read if its additional data is not TLV', () => {
  const body = STATIC.slice(0, -4).replace('62070503***', '6207PEDIDO1');
  expect(readBrCode(withChecksum(body))).toEqual(readBrCode(STATIC));
});

test.each([
  ['bytes of UTF-8', (value: string) => Buffer.byteLength(value)],
  ['characters of JavaScript', (value: string) => value.length],
  ['whole characters', (value: string) => Array.from(value).length],
])('a code is read if its lengths count %s', (_what, sizeOf) => {
  const written = (fields: [string, string][]): string =>
    fields.map(([tag, value]) => tag + String(sizeOf(value)).padStart(2, '0') + value).join('');
  const account = written([
    ['00', 'br.gov.bcb.pix'],
    ['01', 'joana@example.com'],
    ['02', 'Pão 🥖 da vovó'],
  ]);
  const fields = written([
    ['00', '01'],
    ['26', account],
    ['53', '986'],
    ['59', 'Padaria São João 🥖'],
    ['60', 'SÃO PAULO'],
    ['62', written([['05', 'PEDIDO42']])],
  ]);
  expect(readBrCode(withChecksum(`${fields}6304`))).toMatchObject({
    pixKey: 'joana@example.com',
    message: 'Pão 🥖 da vovó',
    recipientName: 'Padaria São João 🥖',
    city: 'SÃO PAULO',
    txid: 'PEDIDO42',
  });
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
