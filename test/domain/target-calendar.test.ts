// The business days of TARGET, and how long a SEPA withdrawal takes over weekends, holidays and changes of the clocks.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectedSettlementSeconds } from '../../src/domain/rails.ts';
import {
  easterSundayOf,
  isBusinessDay,
  oneBusinessDayAfter,
  oneBusinessDayBefore,
} from '../../src/domain/target-calendar.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;

test.each([
  '1900-04-15',
  '1943-04-25',
  '1954-04-18',
  '1961-04-02',
  '1981-04-19',
  '1999-04-04',
  '2000-04-23',
  '2008-03-23',
  '2011-04-24',
  '2016-03-27',
  '2019-04-21',
  '2024-03-31',
  '2025-04-20',
  '2026-04-05',
  '2027-03-28',
  '2028-04-16',
  '2029-04-01',
  '2030-04-21',
  '2035-03-25',
  '2038-04-25',
  '2076-04-19',
  '2285-03-22',
])('Easter Sunday is on %s', (day) => {
  expect(easterSundayOf(Number(day.slice(0, 4))).toISOString()).toBe(`${day}T00:00:00.000Z`);
});

test('the closing days of TARGET from 2026 to 2028 are six holidays a year, besides weekends', () => {
  const days = Array.from({ length: 1_096 }, (_, n) => new Date(Date.UTC(2026, 0, 1 + n)));
  const closedInTheWeek = days.filter(
    (day) => ![0, 6].includes(day.getUTCDay()) && !isBusinessDay(day.getTime()),
  );
  expect(closedInTheWeek.map((day) => day.toISOString().slice(0, 10))).toEqual([
    '2026-01-01',
    '2026-04-03',
    '2026-04-06',
    '2026-05-01',
    '2026-12-25',
    // 26 December 2026, 1 May 2027, both days of Christmas 2027 and 1 January 2028 are on weekends.
    '2027-01-01',
    '2027-03-26',
    '2027-03-29',
    '2028-04-14',
    '2028-04-17',
    '2028-05-01',
    '2028-12-25',
    '2028-12-26',
  ]);
  expect(days.filter((day) => [0, 6].includes(day.getUTCDay()) && isBusinessDay(day.getTime()))).toEqual([]);
});

test.each([
  ['a Tuesday', '2026-11-24T10:15:30.250Z', '2026-11-25T10:15:30.250Z'],
  ['the first moment of a Thursday', '2026-11-25T23:00:00.000Z', '2026-11-26T23:00:00.000Z'],
  ['a Friday', '2026-11-27T10:00:00.000Z', '2026-11-30T10:00:00.000Z'],
  ['the last moment of a Friday', '2026-11-27T22:59:59.999Z', '2026-11-30T22:59:59.999Z'],
  ['the first moment of a Saturday', '2026-11-27T23:00:00.000Z', '2026-11-30T23:00:00.000Z'],
  ['a Sunday', '2026-11-29T12:00:00.000Z', '2026-11-30T23:00:00.000Z'],
  ['the last moment of a Sunday', '2026-11-29T22:59:59.999Z', '2026-11-30T23:00:00.000Z'],
  ['the Thursday before Easter', '2026-04-02T10:00:00.000Z', '2026-04-07T10:00:00.000Z'],
  ['Good Friday', '2026-04-03T10:00:00.000Z', '2026-04-07T22:00:00.000Z'],
  ['Easter Monday', '2026-04-06T10:00:00.000Z', '2026-04-07T22:00:00.000Z'],
  ['the day before 1 May', '2026-04-30T10:00:00.000Z', '2026-05-04T10:00:00.000Z'],
  ['Christmas Eve', '2026-12-24T10:00:00.000Z', '2026-12-28T10:00:00.000Z'],
  ['New Year’s Eve', '2026-12-31T10:00:00.000Z', '2027-01-04T10:00:00.000Z'],
  // Clocks go forward on 28 March 2027, which is Easter Sunday, and back on 25 October 2026.
  ['the Thursday before Easter and summer time', '2027-03-25T10:00:00.000Z', '2027-03-30T09:00:00.000Z'],
  ['the Friday before winter time', '2026-10-23T10:00:00.000Z', '2026-10-26T11:00:00.000Z'],
  ['the Sunday of winter time', '2026-10-25T00:30:00.000Z', '2026-10-26T23:00:00.000Z'],
])('one business day after %s, at %s, is %s', (_when, time, after) => {
  expect(oneBusinessDayAfter(new Date(time)).toISOString()).toBe(after);
});

test.each([
  ['a Wednesday', '2026-11-25T10:15:30.250Z', '2026-11-24T10:15:30.250Z'],
  ['a Monday', '2026-11-30T10:00:00.000Z', '2026-11-27T10:00:00.000Z'],
  ['the first moment of a Monday', '2026-11-29T23:00:00.000Z', '2026-11-26T23:00:00.000Z'],
  ['a Saturday', '2026-11-28T10:00:00.000Z', '2026-11-26T23:00:00.000Z'],
  ['a Sunday', '2026-11-29T10:00:00.000Z', '2026-11-26T23:00:00.000Z'],
  ['the Tuesday after Easter', '2026-04-07T10:00:00.000Z', '2026-04-02T10:00:00.000Z'],
  ['the Monday of winter time', '2026-10-26T11:00:00.000Z', '2026-10-23T10:00:00.000Z'],
])('one business day before %s, at %s, is %s', (_when, time, before) => {
  expect(oneBusinessDayBefore(new Date(time)).toISOString()).toBe(before);
});

test.each([
  ['GBP', 'a Tuesday', '2026-11-24T10:15:30.250Z', 2 * HOUR],
  ['GBP', 'a Saturday', '2026-11-28T10:15:30.250Z', 2 * HOUR],
  ['EUR', 'a Tuesday', '2026-11-24T10:15:30.250Z', DAY],
  ['EUR', 'a Friday', '2026-11-27T10:15:30.250Z', 3 * DAY],
  ['EUR', 'a Saturday', '2026-11-28T10:15:30.250Z', 2 * DAY + 13 * HOUR - 15 * 60 - 30],
  ['EUR', 'the Friday before winter time', '2026-10-23T10:00:00.000Z', 3 * DAY + HOUR],
  ['EUR', 'Christmas Eve', '2026-12-24T10:00:00.000Z', 4 * DAY],
] as const)('a withdrawal in %s on %s, at %s, is expected to take %d s', (currency, _when, time, seconds) => {
  expect(expectedSettlementSeconds(currency, new Date(time))).toBe(seconds);
});

test('a SEPA withdrawal takes at least a day, and a later one never arrives earlier', () => {
  const times = fc.date({ min: new Date('2026-01-01'), max: new Date('2040-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(times, fc.nat({ max: 7 * DAY * 1_000 }), (time, laterMs) => {
      const seconds = expectedSettlementSeconds('EUR', time);
      expect(seconds).toBeGreaterThanOrEqual(DAY);
      expect(seconds).toBeLessThanOrEqual(6 * DAY);
      const after = oneBusinessDayAfter(time);
      const later = oneBusinessDayAfter(new Date(time.getTime() + laterMs));
      expect(later.getTime()).toBeGreaterThanOrEqual(after.getTime());
      // A business day has passed since every earlier time, and since no later time.
      const latestMs = oneBusinessDayBefore(time).getTime();
      expect(oneBusinessDayAfter(new Date(latestMs - 1)).getTime()).toBeLessThanOrEqual(time.getTime());
      expect(oneBusinessDayAfter(new Date(latestMs + 1)).getTime()).toBeGreaterThan(time.getTime());
    }),
  );
});
