// Reads the text of a scanned PIX code (BR Code): EMV fields of tag, length and value, ended by a checksum. It works offline, and
// does not fetch the charge that a dynamic code points to.
import { canonicalPixKey } from './pix-key.ts';
import { plainTextOf } from './plain-text.ts';

export type BrCode = {
  /** A `static` code has a key. A `dynamic` code has the address of a charge instead, which only a PIX participant can fetch. */
  kind: 'static' | 'dynamic';
  /** The recipient's key, ready for `pixKey`. Null in a dynamic code. */
  pixKey: string | null;
  pixKeyType: 'cpf' | 'cnpj' | 'phone' | 'email' | 'evp' | null;
  /** The address of the charge without its scheme, which is https. Null in a static code. */
  url: string | null;
  /**
   * The amount in reais, as a number with at most two decimals. Null if the payer decides, and in a dynamic code, because only its
   * charge has the amount.
   */
  amountBrl: number | null;
  recipientName: string;
  city: string;
  /** The recipient's reference. Null if there is none, and in a dynamic code, because only its charge has the reference. */
  txid: string | null;
  /** A message from the recipient to the payer. Null if there is none. */
  message: string | null;
};

/** Thrown if the text is not a PIX code, or was damaged. */
export class InvalidBrCode extends Error {
  override readonly name = 'InvalidBrCode';
}

const PIX = 'br.gov.bcb.pix';
const REAIS = '986';

/**
 * Reads a PIX code.
 * @param scanned the text in the QR code, or pasted text.
 * @throws InvalidBrCode if the text is not a PIX code, or was damaged.
 */
export function readBrCode(scanned: string): BrCode {
  const text = scanned.trim();
  assertWhole(text);
  const { fields, measure } = wholeFieldsOf(text);
  if (fields.get('00') !== '01') throw new InvalidBrCode('It is not a payment code.');
  if (fields.get('53') !== REAIS) throw new InvalidBrCode('It is not in reais.');
  const account = pixAccountIn(fields, measure);
  const pixKey = account.get('01') ?? null;
  const url = account.get('25') ?? null;
  if ((pixKey === null) === (url === null)) throw new InvalidBrCode('It has neither a key nor an address.');
  const txid = fieldsOf(fields.get('62') ?? '', measure)?.get('05') ?? '';
  const isStatic = pixKey !== null;
  return {
    kind: isStatic ? 'static' : 'dynamic',
    pixKey,
    pixKeyType: pixKey === null ? null : typeOf(pixKey),
    url,
    amountBrl: isStatic ? amountIn(fields.get('54')) : null,
    recipientName: plainTextOf(fields.get('59') ?? ''),
    city: plainTextOf(fields.get('60') ?? ''),
    // Three asterisks mean that there is no reference.
    txid: isStatic && txid !== '' && txid !== '***' ? txid : null,
    message: plainTextOf(account.get('02') ?? '') || null,
  };
}

/** Checks the last field, which is the checksum of everything before its value. */
function assertWhole(text: string): void {
  const { body, sum } = text.match(/^(?<body>.*6304)(?<sum>[0-9a-f]{4})$/is)?.groups ?? {};
  if (body === undefined || sum === undefined) throw new InvalidBrCode('It has no checksum at its end.');
  if (crc16(body) !== Number.parseInt(sum, 16))
    throw new InvalidBrCode('Its checksum does not fit: scan it again.');
}

/** Returns the size of one character in the unit of a code's lengths. */
type Measure = (character: string) => number;

/**
 * The units of a length: JavaScript's characters, whole characters, or bytes of UTF-8. The rule is characters, but some banks count
 * bytes. Texts in ASCII have one length.
 */
const MEASURES: Measure[] = [
  ({ length }) => length,
  () => 1,
  (character) => new TextEncoder().encode(character).length,
];

/** Splits a code into its fields, with the measure by which the checksum is its last field. */
function wholeFieldsOf(text: string): { fields: Map<string, string>; measure: Measure } {
  for (const measure of MEASURES) {
    const fields = fieldsOf(text, measure);
    if (fields?.has('63')) return { fields, measure };
  }
  throw new InvalidBrCode('It is damaged: scan it again.');
}

/** Splits a text into fields. Returns null if it does not consist of fields. No valid text has a tag twice. */
function fieldsOf(text: string, measure: Measure): Map<string, string> | null {
  const fields = new Map<string, string>();
  for (let rest = text; rest !== ''; ) {
    const { tag, size } = rest.match(/^(?<tag>\d\d)(?<size>\d\d)/)?.groups ?? {};
    const value = valueAt(rest.slice(4), Number(size), measure);
    if (tag === undefined || fields.has(tag) || value === null) return null;
    fields.set(tag, value);
    rest = rest.slice(4 + value.length);
  }
  return fields;
}

/** Returns the beginning of a text that has this size, or null if there is none. */
function valueAt(text: string, size: number, measure: Measure): string | null {
  let value = '';
  let remaining = size;
  for (const character of text) {
    if (remaining <= 0) break;
    value += character;
    remaining -= measure(character);
  }
  return remaining === 0 ? value : null;
}

/** Finds the PIX field, which can have any tag from 26 to 51. The other tags in this range belong to other payment schemes. */
function pixAccountIn(fields: Map<string, string>, measure: Measure): Map<string, string> {
  for (let tag = 26; tag <= 51; tag += 1) {
    // A template of another scheme need not consist of fields.
    const account = fieldsOf(fields.get(String(tag)) ?? '', measure);
    if (account?.get('00')?.toLowerCase() === PIX) return account;
  }
  throw new InvalidBrCode('It is not a PIX code.');
}

/**
 * Returns the type of a key in any spelling that the service accepts. A key with wrong check digits has the type of its form: the
 * payer is told that the key is wrong. Only a phone number begins with +.
 */
function typeOf(key: string): BrCode['pixKeyType'] {
  const valid = KEY_TYPES.find((type) => canonicalPixKey(type, key) !== null);
  if (valid !== undefined) return valid;
  if (key.includes('@')) return 'email';
  if (key.startsWith('+')) return 'phone';
  if (/^\d{11}$/.test(key)) return 'cpf';
  if (/^[\dA-Z]{12}\d{2}$/i.test(key)) return 'cnpj';
  return null;
}

const KEY_TYPES = ['email', 'phone', 'evp', 'cpf', 'cnpj'] as const;

function amountIn(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^\d{1,10}(\.\d{1,2})?$/.test(text)) throw new InvalidBrCode('Its amount cannot be read.');
  // Some codes contain a zero if the payer decides.
  return Number(text) || null;
}

/** Computes a CRC-16 with the polynomial 0x1021 and the initial value 0xFFFF over the text's UTF-8 bytes. */
function crc16(text: string): number {
  let sum = 0xffff;
  for (const byte of new TextEncoder().encode(text)) {
    sum ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1)
      sum = ((sum & 0x8000) === 0 ? sum << 1 : (sum << 1) ^ 0x1021) & 0xffff;
  }
  return sum;
}
