import * as fc from 'fast-check';
import { version } from 'uuid';
import { afterEach, expect, test, vi } from 'vitest';
import { newId, parseQuoteId, quoteIdText } from '../../src/domain/ids.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('ids are uuids of version 7, each greater than the one before', () => {
  const ids = Array.from({ length: 20_000 }, newId);
  expect(ids.every((each) => version(each) === 7)).toBe(true);
  expect(ascends(ids)).toBe(true);
});

test('they ascend when the clock stands still or is set back', () => {
  const before = newId();
  vi.useFakeTimers({ now: Date.now() });
  const still = Array.from({ length: 1000 }, newId);
  vi.setSystemTime(Date.now() - 60_000);
  const back = Array.from({ length: 1000 }, newId);
  expect(ascends([before, ...still, ...back])).toBe(true);
});

test('a quote id is read back', () => {
  const id = newId();
  expect(quoteIdText(id)).toBe(`quote_${id}`);
  expect(parseQuoteId(quoteIdText(id))).toBe(id);
});

const id = '01890a5d-ac96-774b-bcce-b302099a8057';

test.each([
  '',
  'quote_',
  id,
  `Quote_${id}`,
  `quote-${id}`,
  `quote_${id.toUpperCase()}`,
  `quote_${id} `,
  `quote_${id}\n`,
  ` quote_${id}`,
  `quote_quote_${id}`,
  `quote_{${id}}`,
  `quote_${id.replaceAll('-', '')}`,
  'quote_'.repeat(100_000),
])('%j is no quote id', (text) => {
  expect(parseQuoteId(text)).toBeNull();
});

test('what is read as a quote id is exactly what was written', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.uuid().map(quoteIdText)), (text) => {
      const parsed = parseQuoteId(text);
      expect(parsed === null || quoteIdText(parsed) === text).toBe(true);
    }),
  );
});

function ascends(ids: string[]): boolean {
  return ids.slice(1).every((each, place) => each > (ids[place] ?? each));
}
