// AES-256-GCM with the encryption context as additional authenticated data: a sealed value opens only in its own
// context.
import { type CipherKey, createCipheriv, createDecipheriv } from 'node:crypto';
import { randomBytes } from '../domain/random-bytes.ts';

/** Where a sealed value is stored. All of it is authenticated: moved elsewhere, the value no longer opens. */
export type EncryptionContext = { table: string; column: string; row: string; scope: string };

const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + IV_BYTES;

// Counter mode buffers nothing: all of the text comes out of `update`, and only the tag is left for `final`.
const ALGORITHM = 'aes-256-gcm';
const OPTIONS = { authTagLength: TAG_BYTES };

/** @returns version, initialisation vector, ciphertext and tag in one buffer. */
export function sealWith(key: CipherKey, place: EncryptionContext, plaintext: Buffer): Buffer {
  // Never the same twice under one key: it would reveal both texts, and let others be forged.
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv, OPTIONS);
  cipher.setAAD(contextBytes(place));
  const ciphertext = cipher.update(plaintext);
  cipher.final();
  return Buffer.concat([Buffer.of(VERSION), iv, ciphertext, cipher.getAuthTag()]);
}

/** @throws when a single bit differs, or the value was sealed in another context or with another key. */
export function openWith(key: CipherKey, place: EncryptionContext, sealed: Uint8Array): Buffer {
  if (sealed.length < HEAD_BYTES + TAG_BYTES || sealed[0] !== VERSION) throw new Error('not a sealed value');
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(1, HEAD_BYTES), OPTIONS);
  decipher.setAAD(contextBytes(place));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  const plaintext = decipher.update(sealed.subarray(HEAD_BYTES, -TAG_BYTES));
  // Only this call authenticates the text: it throws.
  decipher.final();
  return plaintext;
}

/** JSON separates the parts: no two contexts have the same bytes. */
const contextBytes = ({ table, column, row, scope }: EncryptionContext): Buffer =>
  Buffer.from(JSON.stringify([VERSION, table, column, row, scope]));
