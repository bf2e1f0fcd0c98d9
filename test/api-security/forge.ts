// Tokens built by hand, so that each can be wrong in one thing: unmodified, the builder's token is accepted.
import { createHmac, type KeyObject, sign } from 'node:crypto';

/** An honest signer's claims and key. */
export type Base = {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
  sign: (input: string) => Buffer;
};

export type Parts = [header: string, claims: string, signature: string];

/** The one thing that is wrong; undefined in a header or in claims takes that name away. */
export type Change = {
  header?: Record<string, unknown>;
  claims?: Record<string, unknown>;
  /** The JSON texts, before they are signed. */
  headerText?: (json: string) => string | Buffer;
  claimsText?: (json: string) => string | Buffer;
  /** How bytes become text, before they are signed. */
  encode?: (bytes: Buffer) => string;
  /** How these claims become the payload, before it is signed: unencoded, for one. */
  payload?: (json: string) => string;
  sign?: (input: string) => Buffer;
  /** What happens to the token once it is signed. */
  finish?: (parts: Parts) => string;
};

export function forge(base: Base, change: Change = {}): string {
  const { encode = base64url, finish = joined, payload } = change;
  const headerJson = JSON.stringify({ ...base.header, ...change.header });
  const claimsJson = JSON.stringify({ ...base.claims, ...change.claims });
  const header = encode(Buffer.from(change.headerText?.(headerJson) ?? headerJson));
  const claims = payload?.(claimsJson) ?? encode(Buffer.from(change.claimsText?.(claimsJson) ?? claimsJson));
  const signature = encode((change.sign ?? base.sign)(`${header}.${claims}`));
  return finish([header, claims, signature]);
}

export const joined = (parts: readonly string[]): string => parts.join('.');
export const base64url = (bytes: Buffer | string): string => Buffer.from(bytes).toString('base64url');
export const base64 = (bytes: Buffer | string): string => Buffer.from(bytes).toString('base64');

/** The first name is written a second time, with another value: the last one counts. */
export const twice =
  (name: string, value: unknown) =>
  (json: string): string =>
    json.replace(/\}$/, `,${JSON.stringify(name)}:${JSON.stringify(value)}}`);

/** Writes a value as it cannot be written by `JSON.stringify`. */
export const written =
  (name: string, text: string) =>
  (json: string): string =>
    json.replace(/\}$/, `,${JSON.stringify(name)}:${text}}`);

export const hmac =
  (secret: string | Buffer, hash = 'sha256') =>
  (input: string): Buffer =>
    createHmac(hash, secret).update(input).digest();
export const rsa =
  (key: KeyObject, hash = 'sha256') =>
  (input: string): Buffer =>
    sign(hash, Buffer.from(input), key);
export const rsaPss =
  (key: KeyObject, hash = 'sha256') =>
  (input: string): Buffer =>
    // The padding is RSA_PKCS1_PSS_PADDING, the salt as long as the hash.
    sign(hash, Buffer.from(input), { key, padding: 6, saltLength: -1 });
/** Two numbers side by side, as tokens carry them, unless another form is asked for. */
export const ecdsa =
  (key: KeyObject, hash = 'sha256', dsaEncoding: 'ieee-p1363' | 'der' = 'ieee-p1363') =>
  (input: string): Buffer =>
    sign(hash, Buffer.from(input), { key, dsaEncoding });

/** The signature, changed as bytes. */
export const resigned =
  (change: (signature: Buffer) => Buffer) =>
  ([header, claims, signature]: Parts): string =>
    joined([header, claims, base64url(change(Buffer.from(signature, 'base64url')))]);

/** The signature, changed as text. */
export const respelled =
  (change: (signature: string) => string) =>
  ([header, claims, signature]: Parts): string =>
    joined([header, claims, change(signature)]);

/** One bit of one byte is another; negative places count from the end. */
export const flipped =
  (place: number) =>
  (bytes: Buffer): Buffer => {
    const changed = Buffer.from(bytes);
    const at = place < 0 ? bytes.length + place : place;
    changed[at] = (changed[at] ?? 0) ^ 1;
    return changed;
  };

/** The same bytes in another encoding: the last character has bits that no byte uses. */
export const strayBits = (text: string): string => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return text.slice(0, -1) + alphabet.charAt(alphabet.indexOf(text.slice(-1)) + 1);
};
