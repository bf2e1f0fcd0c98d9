// Keeps personal values unreadable at rest: seals them before they are stored and opens them when they are read
// (docs/decisions/0005-personal-values-sealed-by-user.md).
import { createHmac, hkdfSync, type KeyObject } from 'node:crypto';
import type { DataKeys } from './data-keys.ts';
import { type EncryptionContext, openWith, sealWith } from './envelope.ts';
import { createPlaintextCache, type PlaintextCache } from './plaintext-cache.ts';
import { createSearchHashes, type SearchHashes } from './search-hashes.ts';

const KEY_BYTES = 32;

/**
 * Opens a sealed value of the scope that the opener was made for.
 * @throws Error if the scope's data key was destroyed, or if the value was sealed elsewhere.
 */
export type Open = (place: EncryptionContext, sealed: Uint8Array) => string;

export type Sealer = {
  seal: (place: EncryptionContext, text: string) => Promise<Buffer>;
  sealBytes: (place: EncryptionContext, bytes: Buffer) => Promise<Buffer>;
  open: (place: EncryptionContext, sealed: Uint8Array) => Promise<string>;
  /** Loads the data key of a scope, to open several of its values. Use the opener within one request only: keys are destroyed. */
  openerOf: (scope: string) => Promise<Open>;
  openBytes: (place: EncryptionContext, sealed: Uint8Array) => Promise<Buffer>;
  /**
   * Returns the HMAC-SHA-256 of a text under a key derived from the scope's data key for this purpose. Equal
   * texts have equal fingerprints.
   */
  fingerprint: (scope: string, purpose: string, text: string) => Promise<Buffer>;
  /** Hashes by which operators find sealed values of all users. */
  search: SearchHashes;
};

/** Creates the sealer. @param options `opensUnversioned` is explained at `openWith`. */
export const createSealer = (
  { keyOf, findKey }: Pick<DataKeys, 'keyOf' | 'findKey'>,
  opened: PlaintextCache = createPlaintextCache(),
  {
    opensUnversioned = true,
    searchKeys = [],
  }: { opensUnversioned?: boolean; searchKeys?: readonly string[] } = {},
): Sealer => {
  const openerOf = async (scope: string): Promise<Open> => {
    const found = await findKey(scope);
    return (place, sealed) => {
      if (place.scope !== scope) throw new Error('the value is sealed in another scope');
      const key = existing(found);
      return opened(place, sealed, () => openWith(key, place, sealed, { opensUnversioned }).toString());
    };
  };
  return {
    seal: async (place, text) => sealWith(await keyOf(place.scope), place, Buffer.from(text)),
    sealBytes: async (place, bytes) => sealWith(await keyOf(place.scope), place, bytes),
    open: async (place, sealed) => (await openerOf(place.scope))(place, sealed),
    openerOf,
    openBytes: async (place, sealed) =>
      openWith(existing(await findKey(place.scope)), place, sealed, { opensUnversioned }),
    fingerprint: async (scope, purpose, text) => {
      const key = hkdfSync('sha256', await keyOf(scope), '', purpose, KEY_BYTES);
      return createHmac('sha256', Buffer.from(key)).update(text).digest();
    },
    search: createSearchHashes(searchKeys),
  };
};

/** Asserts that a data key exists. @throws Error if it was destroyed. No value that it sealed can be read again. */
function existing(key: KeyObject | null): KeyObject {
  if (key === null) throw new Error('the data key was destroyed');
  return key;
}
