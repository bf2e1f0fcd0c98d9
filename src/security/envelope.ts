// Seals with AES-256-GCM. The encryption context is the additional authenticated data, so a sealed value
// opens only in its own context.
import { type CipherKey, createCipheriv, createDecipheriv } from 'node:crypto';
import { randomBytes } from '../domain/random-bytes.ts';

/**
 * The place of a sealed value and the version of its row. All of it is authenticated: a value that was moved elsewhere, or put back
 * after it was replaced, does not open.
 */
export type EncryptionContext = {
  table: string;
  column: string;
  row: string;
  scope: string;
  /** Null for a value that is written once in the life of its row. */
  version: number | null;
};

/** Thrown if a sealed value does not open: it was changed, or sealed in another context or with another key. */
export class SealBroken extends Error {
  constructor({ table, column, row }: EncryptionContext, why: string) {
    super(`${table}.${column} of row ${row} does not open: ${why}`);
    this.name = 'SealBroken';
  }
}

/**
 * The first byte of a value that is not bound to a version of its row: it is written once, or was sealed before rows had versions.
 */
export const UNVERSIONED = 1;
const VERSIONED = 2;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + IV_BYTES;

// Counter mode does not buffer: `update` returns the whole text, and `final` only computes or checks the tag.
const ALGORITHM = 'aes-256-gcm';
const OPTIONS = { authTagLength: TAG_BYTES };

/** Seals a text. @returns form, initialisation vector, ciphertext and tag in one buffer. */
export function sealWith(key: CipherKey, place: EncryptionContext, plaintext: Buffer): Buffer {
  const form = place.version === null ? UNVERSIONED : VERSIONED;
  // An initialisation vector must never repeat under one key. Repeating it would reveal both texts and allow forged values.
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv, OPTIONS);
  cipher.setAAD(contextBytes(form, place));
  const ciphertext = cipher.update(plaintext);
  cipher.final();
  return Buffer.concat([Buffer.of(form), iv, ciphertext, cipher.getAuthTag()]);
}

/**
 * Opens a sealed value.
 * @param opensUnversioned whether to open a value of a column with versions that was sealed before its row had one. Such a value
 *   opens in every version of its row.
 * @throws SealBroken if a single bit differs, or if the value was sealed in another context or with another key.
 */
export function openWith(
  key: CipherKey,
  place: EncryptionContext,
  sealed: Uint8Array,
  { opensUnversioned = true } = {},
): Buffer {
  const [form = 0] = sealed;
  const isOfColumn =
    form === UNVERSIONED
      ? place.version === null || opensUnversioned
      : form === VERSIONED && place.version !== null;
  if (!isOfColumn || sealed.length < HEAD_BYTES + TAG_BYTES)
    throw new SealBroken(place, 'it is not a sealed value of this column');
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(1, HEAD_BYTES), OPTIONS);
  decipher.setAAD(contextBytes(form, place));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  const plaintext = decipher.update(sealed.subarray(HEAD_BYTES, -TAG_BYTES));
  try {
    // Only this call authenticates the text. It throws if the tag is wrong.
    decipher.final();
  } catch {
    throw new SealBroken(place, 'it does not authenticate');
  }
  return plaintext;
}

/** Encodes a context. JSON separates the parts, so two different contexts never have the same bytes. */
function contextBytes(form: number, { table, column, row, scope, version }: EncryptionContext): Buffer {
  const place = [form, table, column, row, scope];
  return Buffer.from(JSON.stringify(form === VERSIONED ? [...place, version] : place));
}
