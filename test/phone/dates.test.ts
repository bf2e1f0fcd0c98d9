// Days and times as the phone writes them.
import { expect, test } from 'vitest';
import { dateOf, dayOf, momentOf, periodOf, timeOf, whenOf } from '../../phone/app/dates.ts';

const isoOf = (local: string): string => new Date(local).toISOString();

// Times without a zone are those of the machine, like a phone's.
const now = new Date('2026-03-01T09:30:00');

test.each([
  ['2026-03-01T00:00:00', 'Today', 'Today, 00:00'],
  ['2026-03-01T09:30:00', 'Today', 'Today, 09:30'],
  ['2026-02-28T23:59:59', 'Yesterday', 'Yesterday, 23:59'],
  ['2026-02-27T14:05:00', 'Friday 27 February', '27 Feb'],
  ['2025-12-31T14:05:00', 'Wednesday 31 December 2025', '31 Dec 2025'],
])('the phone writes %s as %s, and in a list as %s', (moment, day, when) => {
  expect(dayOf(moment, now)).toBe(day);
  expect(whenOf(moment, now)).toBe(when);
});

test('the first of January comes after yesterday of the former year', () => {
  expect(dayOf('2025-12-31T14:05:00', new Date('2026-01-01T00:00:00'))).toBe('Yesterday');
});

test('a receipt has the whole date and the time', () => {
  expect(timeOf('2026-03-01T09:30:59')).toBe('09:30');
  expect(dateOf('2026-03-01T09:30:00')).toBe('1 March 2026');
  expect(momentOf('2026-03-01T09:30:00')).toBe('1 March 2026, 09:30');
});

test.each([
  ['this-month', '2026-03-01T09:30:00', '2026-03-01T00:00:00', '2026-04-01T00:00:00'],
  ['last-month', '2026-03-31T23:59:59', '2026-02-01T00:00:00', '2026-03-01T00:00:00'],
  ['last-month', '2026-01-15T12:00:00', '2025-12-01T00:00:00', '2026-01-01T00:00:00'],
  ['this-month', '2026-12-31T23:59:59', '2026-12-01T00:00:00', '2027-01-01T00:00:00'],
  ['this-year', '2026-12-31T23:59:59', '2026-01-01T00:00:00', '2027-01-01T00:00:00'],
  ['last-year', '2026-01-01T00:00:00', '2025-01-01T00:00:00', '2026-01-01T00:00:00'],
] as const)('%s at %s is from %s to %s', (period, at, from, to) => {
  expect(periodOf(period, new Date(at))).toEqual({ from: isoOf(from), to: isoOf(to) });
});
