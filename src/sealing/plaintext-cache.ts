// A cache of opened values. Apps read the same values again and again, and making a decipher is most of what opening costs.
// So for one to two minutes the text is kept under its encryption context and beside its sealed bytes: a value that was
// moved, changed or sealed again is another value and must be opened. Beside the data keys, which are in memory as
// well and for longer, it gives nothing more away.
import type { EncryptionContext } from './envelope.ts';

/** Each value is dropped at the second rotation after it was kept, so after one to two minutes. */
const TURN_MS = 60_000;
const MOST_KEPT = 10_000;
/** Longer ones are seldom read, and their bytes would be most of the memory. */
const LONGEST_BYTES = 1_024;

/** @returns what was made of the sealed value a moment ago, or what `open` makes of it now. */
export type PlaintextCache = (place: EncryptionContext, sealed: Uint8Array, open: () => string) => string;

type Kept = { sealed: Buffer; text: string };

export function createPlaintextCache(): PlaintextCache {
  let kept = new Map<string, Kept>();
  let keptBefore = new Map<string, Kept>();
  let turning: NodeJS.Timeout | null = null;

  const turn = (): void => {
    keptBefore = kept;
    kept = new Map();
    turning = keptBefore.size > 0 ? setTimeout(turn, TURN_MS).unref() : null;
  };

  return (place, sealed, open) => {
    if (sealed.length > LONGEST_BYTES) return open();
    const name = nameOf(place);
    const known = kept.get(name) ?? keptBefore.get(name);
    if (known?.sealed.equals(sealed)) return known.text;
    const text = open();
    // A copy of the bytes: these are a piece of all that the database has just sent.
    if (kept.size < MOST_KEPT || kept.has(name)) kept.set(name, { sealed: Buffer.from(sealed), text });
    turning ??= setTimeout(turn, TURN_MS).unref();
    return text;
  };
}

/** Only rows have names that are not ours, and they come last: no two places have the same name. */
const nameOf = ({ table, column, scope, row }: EncryptionContext): string =>
  `${table} ${column} ${scope} ${row}`;
