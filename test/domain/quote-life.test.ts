// The life of a quote, as a duration from its receipt.
import { expect, test } from 'vitest';
import {
  isExpired,
  livesTooLong,
  lockMs,
  overForCertainAt,
  QUOTE_LOCK_MS,
  statedLifeMs,
  UNUSED_QUOTES_KEPT_MS,
} from '../../src/domain/quote-life.ts';

const now = new Date('2026-11-21T10:00:00.000Z');
const inMs = (ms: number): Date => new Date(now.getTime() + ms);

test('a quote locks its rate for a minute, and is kept for ten minutes if it is not used', () => {
  expect([QUOTE_LOCK_MS, UNUSED_QUOTES_KEPT_MS]).toEqual([60_000, 600_000]);
});

test.each([
  ['without a date of the provider', 60_000, null, 60_000],
  ['if both clocks agree', 60_000, 0, 60_000],
  ['if the clocks differ by less than two seconds', 60_000, 1_999, 60_000],
  ['if the provider is behind by less than two seconds', 60_000, -1_999, 60_000],
  ['if the provider is two seconds ahead', 60_000, 2_000, 58_000],
  ['if the provider is two seconds behind', 60_000, -2_000, 62_000],
  ['if the quote has expired', -1, null, 0],
  ['if the quote has expired by the clock of the provider', 60_000, 61_000, 0],
])('the stated life of a quote is right %s', (_when, expiresInMs, aheadMs, lifeMs) => {
  const providerNow = aheadMs === null ? null : inMs(aheadMs);
  expect(statedLifeMs(inMs(expiresInMs), providerNow, now)).toBe(lifeMs);
});

test.each([
  [59_999, 59_999],
  [60_000, 60_000],
  [60_001, 60_000],
])('users may confirm a quote with a life of %d ms for %d ms', (lifeMs, lockedMs) => {
  expect(lockMs(lifeMs)).toBe(lockedMs);
});

test.each([
  ['a millisecond before its end', false, -1],
  ['at its end', true, 0],
  ['a millisecond after its end', true, 1],
])('a quote has expired %s: %j', (_when, isOver, ms) => {
  expect(isExpired(now, inMs(ms))).toBe(isOver);
});

test.each([
  ['a minute for a shorter life', 10_000, 60_000],
  ['its life', 61_000, 61_000],
  ['five minutes for a longer life', 300_001, 300_000],
])('no conversion can use the quote after %s', (_after, lifeMs, afterMs) => {
  expect(overForCertainAt(now, lifeMs)).toEqual(inMs(afterMs));
});

test.each([
  [300_000, false],
  [300_001, true],
])('a life of %d ms is too long: %j', (lifeMs, isTooLong) => {
  expect(livesTooLong(lifeMs)).toBe(isTooLong);
});
