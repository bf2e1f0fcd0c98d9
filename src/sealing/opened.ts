// What was opened a moment ago. Apps look at the same things again and again, and making a decipher is most of what opening
// costs. So the text is kept for some seconds, under its place and its sealed bytes: what was moved, changed or sealed anew
// is another value and must be opened. Beside the data keys, which are in memory as well, it gives nothing more away.
import { type Place, placeText } from './envelope.ts';

/** What is kept is forgotten at every second turn, so after ten to twenty seconds. */
const TURN_MS = 10_000;
const MOST_KEPT = 5_000;
/** Longer ones are seldom looked at, and their bytes would be most of the memory. */
const LONGEST_BYTES = 1_024;

/** @returns what was made of the sealed value a moment ago, or what `open` makes of it now. */
export type Opened = (place: Place, sealed: Uint8Array, open: () => string) => string;

export function createOpened(): Opened {
  let kept = new Map<string, string>();
  let keptBefore = new Map<string, string>();
  let turning: NodeJS.Timeout | null = null;

  const turn = (): void => {
    keptBefore = kept;
    kept = new Map();
    turning = keptBefore.size > 0 ? setTimeout(turn, TURN_MS).unref() : null;
  };

  return (place, sealed, open) => {
    if (sealed.length > LONGEST_BYTES) return open();
    const name = nameOf(place, sealed);
    const known = kept.get(name) ?? keptBefore.get(name);
    if (known !== undefined) return known;
    const text = open();
    if (kept.size < MOST_KEPT) kept.set(name, text);
    turning ??= setTimeout(turn, TURN_MS).unref();
    return text;
  };
}

/** The place's text says itself where it ends, so no two values have the same name. */
const nameOf = (place: Place, { buffer, byteOffset, length }: Uint8Array): string =>
  placeText(place) + Buffer.from(buffer, byteOffset, length).toString('latin1');
