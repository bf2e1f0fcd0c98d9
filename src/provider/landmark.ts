// Detects a list whose cursors go in a circle. A list grows only at its end, so each page must have items that no earlier page had.
// Remembering one item is enough (Brent's algorithm): the last item of page 1, then of pages 2, 4, 8 and so on. In a circle, the
// remembered item comes again before the number of pages has doubled twice.
import type { ListPage } from './port.ts';

/** The state of the detection. `pages`: the number of pages read so far. `item`: the provider's id of the remembered item. */
export type Landmark = { pages: number; item: string | null };

export const NO_LANDMARK: Landmark = { pages: 0, item: null };

/** Processes one page. Returns the state for the next page, or null if the list continues although the page has nothing new. */
export function passLandmark(
  { pages, item }: Landmark,
  { refs, next }: Pick<ListPage<unknown>, 'refs' | 'next'>,
): Landmark | null {
  const last = refs.at(-1);
  const isRepeated = last === undefined || (item !== null && refs.includes(item));
  if (next !== null && isRepeated) return null;
  const read = pages + 1;
  return { pages: read, item: isPowerOfTwo(read) ? (last ?? item) : item };
}

const isPowerOfTwo = (count: number): boolean => Number.isInteger(Math.log2(count));
