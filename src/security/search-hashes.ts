// Hashes by which operators find who has an e-mail address or an account number, and who paid a PIX key, while the values stay sealed.
import { createHmac } from 'node:crypto';
import type { BankDetails } from '../domain/bank-details.ts';
import type { SearchTerm } from '../tables/search-hashes.ts';

export type SearchHashes = {
  /** Returns the hash to store with a value, or null if no search key is configured. */
  hashOf: (kind: SearchTerm, text: string) => Buffer | null;
  /** Returns the hashes to search for: one under each key, because a value keeps its hash until it is made anew. */
  hashesOf: (kind: SearchTerm, text: string) => Buffer[];
  /** The first bytes of every hash under the first key. Null without a key. */
  tag: Buffer | null;
};

const TAG_BYTES = 4;
/** 128 bits, so that two values practically never share a hash. */
const HASH_BYTES = 16;

/**
 * Creates the hashes of the search keys. A key in the configuration is not in the database or its backups, so nobody can try out
 * addresses with those alone.
 * @param keys the first one makes new hashes, all of them search. Without keys, nothing is hashed.
 */
export function createSearchHashes(keys: readonly string[]): SearchHashes {
  const [first, ...formers] = keys.map((key) => ({ key, tag: hmac(key, 'tag').subarray(0, TAG_BYTES) }));
  if (first === undefined) return { hashOf: () => null, hashesOf: () => [], tag: null };
  return {
    hashOf: (kind, text) => hashUnder(first, kind, text),
    hashesOf: (kind, text) => [first, ...formers].map((key) => hashUnder(key, kind, text)),
    tag: first.tag,
  };
}

type SearchKey = { key: string; tag: Buffer };

const hashUnder = ({ key, tag }: SearchKey, kind: SearchTerm, text: string): Buffer =>
  Buffer.concat([tag, hmac(key, `${kind} ${canonical[kind](text)}`).subarray(0, HASH_BYTES)]);

const hmac = (key: string, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** People spell one address or number in several ways. A PIX key is hashed in its canonical form. */
const canonical: Record<SearchTerm, (text: string) => string> = {
  email: (text) => text.trim().normalize('NFC').toLowerCase(),
  account: (text) => text.replaceAll(/[\s.-]/g, '').toUpperCase(),
  'pix-key': (text) => text,
};

/** Returns the number that names an account: an IBAN, or a British account number without its sort code. */
export const accountNumberOf = (account: BankDetails): string =>
  'iban' in account ? account.iban : account.accountNumber;
