// A cache of opened values. Apps read the same values again and again, and creating a decipher is most of the cost of
// opening. So for one to two minutes the text is kept under its encryption context and beside its sealed bytes: a value
// that was moved, changed or sealed again is another value and must be opened. As the data keys are in memory as well,
// and for longer, it exposes nothing more.
import type { EncryptionContext } from './envelope.ts';

/** Each value is dropped at the second rotation after it was kept, so after one to two minutes. */
const ROTATE_EVERY_MS = 60_000;
const MOST_KEPT = 10_000;
/** Longer ones are seldom read, and their bytes would be most of the memory. */
const LONGEST_BYTES = 1_024;

/** @returns the cached text of the sealed value, or the result of `open`. */
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
 * The original is a slice of the database's whole answer, and `Buffer.from` would give a slice of 64 KiB that many short-lived
 * buffers share: either is in memory as long as one slice of it.
 */
const ownCopy = (bytes: Uint8Array): Buffer => {
  const copy = Buffer.alloc(bytes.length);
  copy.set(bytes);
  return copy;
};

/** Only rows have names that the service does not choose. They come last, so no two contexts have the same name. */
const nameOf = ({ table, column, scope, version, row }: EncryptionContext): string =>
  `${table} ${column} ${scope} ${version} ${row}`;
