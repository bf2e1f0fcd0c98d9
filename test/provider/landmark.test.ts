// Checks that a list whose pages form a circle is noticed, and a list that ends is not.
import { expect, test } from 'vitest';
import { type Landmark, NO_LANDMARK, passLandmark } from '../../src/provider/landmark.ts';

const circles = [
  { before: 0, length: 1 },
  { before: 0, length: 2 },
  { before: 3, length: 5 },
  { before: 100, length: 1 },
  { before: 7, length: 100 },
];

test.each(circles)('a circle of $length pages after $before others is noticed', ({ before, length }) => {
  const pageAt = (index: number): number => (index < before ? index : before + ((index - before) % length));
  const read = pagesRead((index) => ({ refs: [`${pageAt(index)} a`, `${pageAt(index)} b`], next: 'more' }));
  expect(read).toBeGreaterThan(length);
  expect(read).toBeLessThanOrEqual(3 * (before + length));
});

test('pages with new cursors but the same items are noticed', () => {
  expect(pagesRead((index) => ({ refs: ['a', 'b'], next: `cursor ${index}` }))).toBe(2);
});

test('a page that has a next page but no item is noticed', () => {
  expect(pagesRead(() => ({ refs: [], next: 'more' }))).toBe(1);
});

test('a list that ends is read to its end, even if it is empty', () => {
  expect(pagesRead((index) => ({ refs: [`${index}`], next: index < 999 ? 'more' : null }))).toBe(1_000);
  expect(pagesRead(() => ({ refs: [], next: null }))).toBe(1);
});

type Page = Parameters<typeof passLandmark>[1];

/** How many pages are read until the list ends or a circle is noticed. */
function pagesRead(pageAt: (index: number) => Page): number {
  let landmark: Landmark | null = NO_LANDMARK;
  for (let index = 0; ; index += 1) {
    const page = pageAt(index);
    landmark = passLandmark(landmark, page);
    if (landmark === null || page.next === null) return index + 1;
  }
}
