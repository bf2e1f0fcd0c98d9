// Writes and reads the text of PIX codes (BR Code): EMV fields of tag, length and value, ended by a checksum.

const PIX = 'br.gov.bcb.pix';

export interface Payee {
  name: string;
  city: string;
}

/** Writes a dynamic code. @param address of its charge, without the scheme. */
export const dynamicCode = (address: string, payee: Payee): string => codeWith(field('25', address), payee);

/** Writes a static code of a key. @param amount decimal text, or undefined if the payer decides. */
export const staticCode = (key: string, payee: Payee, amount?: string): string =>
  codeWith(field('01', key), payee, amount);

function codeWith(account: string, { name, city }: Payee, amount?: string): string {
  const body = [
    field('00', '01'),
    field('26', field('00', PIX) + account),
    field('52', '0000'),
    field('53', '986'),
    amount === undefined ? '' : field('54', amount),
    field('58', 'BR'),
    field('59', name),
    field('60', city),
    field('62', field('05', '***')),
    '6304',
  ].join('');
  return body + checksum(body);
}

const field = (tag: string, value: string): string =>
  `${tag}${String(value.length).padStart(2, '0')}${value}`;

/** Where a code leads: to a key, or to the address of a charge. */
export type CodeText =
  | { key: string; amount: string | null }
  | { address: string }
  /** The text is another kind of code, or a PIX code that was damaged. */
  | 'not_pix'
  | 'damaged';

export function readCode(text: string): CodeText {
  if (!text.startsWith('000201')) return 'not_pix';
  if (checksum(text.slice(0, -4)) !== text.slice(-4).toUpperCase()) return 'damaged';
  const fields = fieldsOf(text);
  if (fields === null) return 'damaged';
  const accounts = [...fields].filter(([tag]) => Number(tag) >= 26 && Number(tag) <= 51);
  const account = accounts
    .map(([, value]) => fieldsOf(value))
    .find((one) => one?.get('00')?.toLowerCase() === PIX);
  if (!account) return 'not_pix';
  const [key, address] = [account.get('01'), account.get('25')];
  if (address !== undefined) return { address };
  return key === undefined ? 'damaged' : { key, amount: fields.get('54') ?? null };
}

/** Splits a text into its fields. Null if it does not consist of fields. */
function fieldsOf(text: string): Map<string, string> | null {
  const fields = new Map<string, string>();
  for (let at = 0; at < text.length; ) {
    const [, tag, size] = /^(\d\d)(\d\d)/.exec(text.slice(at)) ?? [];
    if (tag === undefined || at + 4 + Number(size) > text.length) return null;
    fields.set(tag, text.slice(at + 4, at + 4 + Number(size)));
    at += 4 + Number(size);
  }
  return fields;
}

/** Computes the CRC-16 with the polynomial 0x1021 and the initial value 0xFFFF. */
function checksum(text: string): string {
  let sum = 0xffff;
  for (const byte of Buffer.from(text)) {
    sum ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1)
      sum = ((sum & 0x8000) === 0 ? sum << 1 : (sum << 1) ^ 0x1021) & 0xffff;
  }
  return sum.toString(16).toUpperCase().padStart(4, '0');
}
