import * as fc from 'fast-check';
import { version } from 'uuid';
import { afterEach, expect, test, vi } from 'vitest';
import { isCanonicalUuid, isUuid, madeAt, newId, parseQuoteId, quoteIdText } from '../../src/domain/ids.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('ids are uuids of version 7, each greater than the one before', () => {
  const ids = Array.from({ length: 20_000 }, newId);
  expect(ids.every((each) => version(each) === 7)).toBe(true);
  expect(ascends(ids)).toBe(true);
});

test('ids ascend even when the clock stands still or is set back', () => {
  const before = newId();
  vi.useFakeTimers({ now: Date.now() });
  const still = Array.from({ length: 1000 }, newId);
  vi.setSystemTime(Date.now() - 60_000);
  const back = Array.from({ length: 1000 }, newId);
  expect(ascends([before, ...still, ...back])).toBe(true);
});

test('an id has the time at which it was made', () => {
  // This time is later than that of every id that was made before.
  const now = Date.now() + 60_000;
  vi.useFakeTimers({ now });
  expect(madeAt(newId())).toEqual(new Date(now));
  vi.setSystemTime(now + 1);
  expect(madeAt(newId())).toEqual(new Date(now + 1));
  vi.setSystemTime(now);
  expect(madeAt(newId())).toEqual(new Date(now + 1));
});

test('a uuid of another version has no time', () => {
  expect(madeAt('03925384-2ed5-576c-852f-aa4824fd9142')).toBeNull();
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
])('the text %j is not a quote id', (text) => {
  expect(parseQuoteId(text)).toBeNull();
});

test('a parsed quote id is written back exactly as it was read', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.uuid().map(quoteIdText)), (text) => {
      const parsed = parseQuoteId(text);
      expect(parsed === null || quoteIdText(parsed) === text).toBe(true);
    }),
  );
});

test.each([
  [id, true, true],
  [id.toUpperCase(), true, false],
  ['03925384-2ED5-576c-852f-aa4824fd9142', true, false],
  ['ffffffff-ffff-ffff-ffff-ffffffffffff', true, true],
  [`${id}0`, false, false],
  [`0${id}`, false, false],
  [id.slice(1), false, false],
  [id.slice(0, -1), false, false],
  [id.replaceAll('-', ''), false, false],
  [id.replace('-774b', ''), false, false],
  [id.replace('7', 'g'), false, false],
  [`${id}\n`, false, false],
  ['', false, false],
])('the text %j is a uuid: %j, and has the form of the database: %j', (text, isOne, isCanonical) => {
  expect([isUuid(text), isCanonicalUuid(text)]).toEqual([isOne, isCanonical]);
});

test('null is not a uuid', () => {
  expect(isUuid(null)).toBe(false);
});

function ascends(ids: string[]): boolean {
  return ids.slice(1).every((each, place) => each > (ids[place] ?? each));
}
