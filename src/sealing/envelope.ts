// AES-256-GCM with everything bound in that says where the value belongs. A sealed value opens in its own place only.
import { type CipherKey, createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Where a sealed value lives. All of it is authenticated: moved elsewhere, the value no longer opens. */
export type Place = { table: string; column: string; row: string; scope: string };

const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** @returns version, initialisation vector, ciphertext and tag in one buffer. */
export function sealWith(key: CipherKey, place: Place, plaintext: Buffer): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  cipher.setAAD(placeBytes(place));
  return Buffer.concat([
    Buffer.of(VERSION),
    iv,
    cipher.update(plaintext),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
}

/** @throws when a single bit differs, or the value was sealed for another place or with another key. */
export function openWith(key: CipherKey, place: Place, sealed: Uint8Array): Buffer {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  if (bytes.length < 1 + IV_BYTES + TAG_BYTES || bytes[0] !== VERSION) throw new Error('not a sealed value');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, 1 + IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(placeBytes(place));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(1 + IV_BYTES, -TAG_BYTES)), decipher.final()]);
}

// JSON keeps the parts apart: no two different places have the same bytes.
const placeBytes = ({ table, column, row, scope }: Place): Buffer =>
  Buffer.from(JSON.stringify([VERSION, table, column, row, scope]));
