// Caches opened values. Apps read the same values repeatedly, and creating a decipher is most of the cost of opening one. The
// text is kept for one to two minutes under its encryption context and its sealed bytes: a value that was moved, changed or
// sealed again is a different value and must be opened. The cache exposes nothing more than before, because the data keys are in
// memory as well, and for longer.
import type { EncryptionContext } from './envelope.ts';

/** The interval between rotations. A value is dropped at the second rotation after it was cached, so after one to two minutes. */
const ROTATE_EVERY_MS = 60_000;
const MAX_KEPT = 10_000;
/** The maximum size of a cached value. Longer values are rarely read, and they would take most of the memory. */
const LONGEST_BYTES = 1_024;

/** Returns the cached text of the sealed value, or the result of `open`. */
export type PlaintextCache = (context: EncryptionContext, sealed: Uint8Array, open: () => string) => string;

export function createPlaintextCache(): PlaintextCache {
  let kept = new Map<number, Kept>();
  let keptBefore = new Map<number, Kept>();
  let rotation: NodeJS.Timeout | null = null;

  const rotate = (): void => {
    keptBefore = kept;
    kept = new Map();
    rotation = keptBefore.size > 0 ? setTimeout(rotate, ROTATE_EVERY_MS).unref() : null;
  };

  return (context, sealed, open) => {
    if (sealed.length > LONGEST_BYTES) return open();
    const key = keyOf(sealed);
    const cached = kept.get(key) ?? keptBefore.get(key);
    if (cached !== undefined && isOf(cached, context, sealed)) return cached.text;
    const text = open();
    if (kept.size < MAX_KEPT) kept.set(key, { context, sealed: ownCopy(sealed), text });
    rotation ??= setTimeout(rotate, ROTATE_EVERY_MS).unref();
    return text;
  };
}

type Kept = { context: EncryptionContext; sealed: Buffer; text: string };

/** Returns six random bytes of a sealed value, from its initialisation vector. A number is found faster than a text. */
function keyOf(sealed: Uint8Array): number {
  let key = 0;
  for (let at = 1; at <= 6; at += 1) key = key * 256 + (sealed[at] ?? 0);
  return key;
}

const isOf = (kept: Kept, { table, column, row, scope, version }: EncryptionContext, sealed: Uint8Array) =>
  kept.context.table === table &&
  kept.context.column === column &&
  kept.context.row === row &&
  kept.context.scope === scope &&
  kept.context.version === version &&
  kept.sealed.equals(sealed);

/**
 * Copies bytes into memory of their own. The original is a slice of the database's whole answer, and `Buffer.from` would return a
 * slice of a 64 KiB pool that many short-lived buffers share. Either stays in memory as long as one of its slices.
 */
const ownCopy = (bytes: Uint8Array): Buffer => {
  const copy = Buffer.alloc(bytes.length);
  copy.set(bytes);
  return copy;
};
