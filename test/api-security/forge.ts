// Builds tokens by hand, so that each can be wrong in one thing. A token without a change is accepted.
import { createHmac, type KeyObject, sign } from 'node:crypto';

/** The claims and the key of an honest signer. */
export type Base = {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
  sign: (input: string) => Buffer;
};

export type Parts = [header: string, claims: string, signature: string];

/** The one thing that is wrong. A name whose value is undefined is removed from the header or the claims. */
export type Change = {
  header?: Record<string, unknown>;
  claims?: Record<string, unknown>;
  /** Changes the JSON texts before they are signed. */
  headerText?: (json: string) => string | Buffer;
  claimsText?: (json: string) => string | Buffer;
  /** Encodes bytes as text before they are signed. */
  encode?: (bytes: Buffer) => string;
  /** Makes the payload out of the claims before it is signed, for example without encoding it. */
  payload?: (json: string) => string;
  sign?: (input: string) => Buffer;
  /** Changes the token after it was signed. */
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

/** Writes a name a second time with another value. The last value counts. */
export const twice =
  (name: string, value: unknown) =>
  (json: string): string =>
    json.replace(/\}$/, `,${JSON.stringify(name)}:${JSON.stringify(value)}}`);

/** Writes a value that `JSON.stringify` cannot write. */
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
    // The padding is RSA_PKCS1_PSS_PADDING, and the salt is as long as the hash.
    sign(hash, Buffer.from(input), { key, padding: 6, saltLength: -1 });
/** Signs on a curve. The signature is the pair of numbers that tokens use, unless another encoding is given. */
export const ecdsa =
  (key: KeyObject, hash = 'sha256', dsaEncoding: 'ieee-p1363' | 'der' = 'ieee-p1363') =>
  (input: string): Buffer =>
    sign(hash, Buffer.from(input), { key, dsaEncoding });

export const resigned =
  (change: (signature: Buffer) => Buffer) =>
  ([header, claims, signature]: Parts): string =>
    joined([header, claims, base64url(change(Buffer.from(signature, 'base64url')))]);

export const respelled =
  (change: (signature: string) => string) =>
  ([header, claims, signature]: Parts): string =>
    joined([header, claims, change(signature)]);

/** Flips one bit of one byte. Negative places count from the end. */
export const flipped =
  (place: number) =>
  (bytes: Buffer): Buffer => {
    const changed = Buffer.from(bytes);
    const at = place < 0 ? bytes.length + place : place;
    changed[at] = (changed[at] ?? 0) ^ 1;
    return changed;
  };

/** Spells the same bytes differently: the last character has bits that no byte uses. */
export const strayBits = (text: string): string => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return text.slice(0, -1) + alphabet.charAt(alphabet.indexOf(text.slice(-1)) + 1);
};
