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

export function createPlaintextCache(): PlaintextCache {
  let kept = createTexts();
  let keptBefore = createTexts();
  let rotation: NodeJS.Timeout | null = null;

  const rotate = (): void => {
    keptBefore = kept;
    kept = createTexts();
    rotation = keptBefore.size() > 0 ? setTimeout(rotate, ROTATE_EVERY_MS).unref() : null;
  };

  return (context, sealed, open) => {
    if (sealed.length > LONGEST_BYTES) return open();
    const known = kept.find(context, sealed) ?? keptBefore.find(context, sealed);
    if (known !== undefined) return known;
    const text = open();
    if (kept.size() < MOST_KEPT) kept.add(context, sealed, text);
    rotation ??= setTimeout(rotate, ROTATE_EVERY_MS).unref();
    return text;
  };
}

type Kept = Pick<EncryptionContext, 'table' | 'version'> & { sealed: Buffer; text: string };

/**
 * Opened texts by scope, row and column. Joining these names to one key would take longer than all other steps of a hit, and a list
 * has hundreds of hits.
 */
function createTexts() {
  const scopes = new Map<string, Map<string, Map<string, Kept>>>();
  let added = 0;
  return {
    size: () => added,
    find: (
      { scope, row, column, table, version }: EncryptionContext,
      sealed: Uint8Array,
    ): string | undefined => {
      const known = scopes.get(scope)?.get(row)?.get(column);
      const isSame = known?.table === table && known.version === version && known.sealed.equals(sealed);
      return isSame ? known.text : undefined;
    },
    add: ({ scope, row, column, table, version }: EncryptionContext, sealed: Uint8Array, text: string) => {
      added += 1;
      inner(inner(scopes, scope), row).set(column, { table, version, sealed: ownCopy(sealed), text });
    },
  };
}

/** Returns the inner map of a name. Creates it if there is none. */
function inner<Value>(outer: Map<string, Map<string, Value>>, name: string): Map<string, Value> {
  let found = outer.get(name);
  if (found === undefined) outer.set(name, (found = new Map()));
  return found;
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
