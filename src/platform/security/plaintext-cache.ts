// Caches opened values. Apps read the same values repeatedly, and creating a decipher is most of the cost of opening one. The
// text is kept for one to two minutes under its encryption context and its sealed bytes: a value that was moved, changed or
// sealed again is a different value and must be opened. The cache exposes nothing more than before, because the data keys are in
// memory as well, and for longer.
import type { EncryptionContext } from './envelope.ts';

/** The interval between rotations. A value is dropped at the second rotation after it was cached, so after one to two minutes. */
const ROTATE_EVERY_MS = 60_000;
const MOST_KEPT = 10_000;
/** The maximum size of a cached value. Longer values are rarely read, and they would take most of the memory. */
const LONGEST_BYTES = 1_024;

/** Returns the cached text of the sealed value, or the result of `open`. */
export type PlaintextCache = (context: EncryptionContext, sealed: Uint8Array, open: () => string) => string;

type Kept = { sealed: Buffer; text: string };

export function createPlaintextCache(): PlaintextCache {
  let kept = new Map<string, Kept>();
  let keptBefore = new Map<string, Kept>();
  let rotation: NodeJS.Timeout | null = null;

  const rotate = (): void => {
    keptBefore = kept;
    kept = new Map();
    rotation = keptBefore.size > 0 ? setTimeout(rotate, ROTATE_EVERY_MS).unref() : null;
  };

  return (context, sealed, open) => {
    if (sealed.length > LONGEST_BYTES) return open();
    const name = nameOf(context);
    const known = kept.get(name) ?? keptBefore.get(name);
    if (known?.sealed.equals(sealed)) return known.text;
    const text = open();
    if (kept.size < MOST_KEPT || kept.has(name)) kept.set(name, { sealed: ownCopy(sealed), text });
    rotation ??= setTimeout(rotate, ROTATE_EVERY_MS).unref();
    return text;
  };
}

/**
 * Copies bytes into memory of their own. The original is a slice of the database's whole answer, and `Buffer.from` would return a
 * slice of a 64 KiB pool that many short-lived buffers share. Either stays in memory as long as one of its slices.
 */
const ownCopy = (bytes: Uint8Array): Buffer => {
  const copy = Buffer.alloc(bytes.length);
  copy.set(bytes);
  return copy;
};

/**
 * Returns the cache key of a context. Only a row may have a name that the service does not choose. The row comes last, so two
 * different contexts never have the same key.
 */
const nameOf = ({ table, column, scope, version, row }: EncryptionContext): string =>
  `${table} ${column} ${scope} ${version} ${row}`;
