// Keeps personal values unreadable at rest: seals them before they are stored and opens them when they are read
// (docs/decisions/0005-personal-values-sealed-by-user.md).
import { createHmac, hkdfSync } from 'node:crypto';
import type { DataKeys } from './data-keys.ts';
import { type EncryptionContext, openWith, sealWith } from './envelope.ts';
import { createPlaintextCache, type PlaintextCache } from './plaintext-cache.ts';

const KEY_BYTES = 32;

export type Sealer = {
  seal: (place: EncryptionContext, text: string) => Promise<Buffer>;
  sealBytes: (place: EncryptionContext, bytes: Buffer) => Promise<Buffer>;
  open: (place: EncryptionContext, sealed: Uint8Array) => Promise<string>;
  openBytes: (place: EncryptionContext, sealed: Uint8Array) => Promise<Buffer>;
  /**
   * Returns the HMAC-SHA-256 of a text under a key derived from the scope's data key for this purpose. Equal
   * texts have equal fingerprints.
   */
  fingerprint: (scope: string, purpose: string, text: string) => Promise<Buffer>;
};

/** Creates the sealer. @param options `opensUnversioned` is explained at `openWith`. */
export const createSealer = (
  { keyOf, existingKeyOf }: Pick<DataKeys, 'keyOf' | 'existingKeyOf'>,
  opened: PlaintextCache = createPlaintextCache(),
  { opensUnversioned = true } = {},
): Sealer => ({
  seal: async (place, text) => sealWith(await keyOf(place.scope), place, Buffer.from(text)),
  sealBytes: async (place, bytes) => sealWith(await keyOf(place.scope), place, bytes),
  open: async (place, sealed) => {
    const key = await existingKeyOf(place.scope);
    return opened(place, sealed, () => openWith(key, place, sealed, { opensUnversioned }).toString());
  },
  openBytes: async (place, sealed) =>
    openWith(await existingKeyOf(place.scope), place, sealed, { opensUnversioned }),
  fingerprint: async (scope, purpose, text) => {
    const key = hkdfSync('sha256', await keyOf(scope), '', purpose, KEY_BYTES);
    return createHmac('sha256', Buffer.from(key)).update(text).digest();
  },
});
