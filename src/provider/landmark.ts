// Notices a list whose cursors go in a circle. A list grows only at its end, so each page must bring items that no page before
// it had. One remembered item is enough (Brent's algorithm): the last one of page 1, then of page 2, 4, 8 and so on. In a
// circle, the same item comes again before the number of pages has doubled twice.
import type { ListPage } from './port.ts';

/** `pages`: how many pages were read so far. `item`: the provider's id of the remembered item. */
export type Landmark = { pages: number; item: string | null };

export const NO_LANDMARK: Landmark = { pages: 0, item: null };

/**
 * @returns what to remember while the next page is read, or null when the page leads on and brings nothing new.
 */
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
