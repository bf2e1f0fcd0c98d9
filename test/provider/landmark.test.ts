// Whether the pages of a list that go in a circle are noticed, and those of a list that ends are not.
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

test('pages whose cursors are new and whose items are not are noticed', () => {
  expect(pagesRead((index) => ({ refs: ['a', 'b'], next: `cursor ${index}` }))).toBe(2);
});

test('a page that leads on and has no item is noticed', () => {
  expect(pagesRead(() => ({ refs: [], next: 'more' }))).toBe(1);
});

test('a list that ends is read to its end, an empty one as well', () => {
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
