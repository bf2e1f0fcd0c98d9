// The slices of windows cover all time without gaps, and pages of a slice continue by time.
import { expect, test } from 'vitest';
import {
  daysListedAgain,
  nextPosition,
  nextWindow,
  OBJECTS_OF_A_PAGE,
  shareOfNight,
  slicesOf,
  WindowIgnored,
} from '../../src/jobs/reconciliation/windows.ts';
import type { TimeWindow } from '../../src/provider/port.ts';
import { momentsOfDatabase } from '../support/database-time.ts';

const moment = await momentsOfDatabase();
const at = (text: string) => new Date(`2026-11-${text}Z`);
const NOW = moment('2026-11-26T02:10:00.000Z');

test('a window ends ten minutes ago and overlaps the last one by an hour', () => {
  expect(nextWindow(at('25T02:00:00.000'), NOW)).toEqual({
    from: at('25T01:00:00.000'),
    to: at('26T02:00:00.000'),
  });
});

test('the first window begins with the oldest change', () => {
  expect(nextWindow(null, NOW)).toEqual({ from: new Date(0), to: at('26T02:00:00.000') });
});

test.each(['26T02:00:00.000', '26T02:05:00.000', '26T02:10:00.000'])(
  'no window is planned if the last one ends at %s, before its end is ten minutes old',
  (plannedTo) => {
    expect(nextWindow(at(plannedTo), NOW)).toBeNull();
  },
);

test.each(['26T02:10:00.001', '26T04:00:00.000', '29T02:00:00.000'])(
  'a last window that ends at %s, later than now, hides nothing: the last month is planned again',
  (plannedTo) => {
    const window = nextWindow(at(plannedTo), NOW);
    expect(window).toEqual({ from: new Date('2026-10-26T02:10:00.000Z'), to: at('26T02:00:00.000') });
  },
);

test('each night lists the whole days again that lie a week and a month back', () => {
  expect(daysListedAgain(NOW)).toEqual([
    { from: at('19T00:00:00.000'), to: at('20T00:00:00.000') },
    { from: new Date('2026-10-26T23:00:00.000Z'), to: new Date('2026-10-28T00:00:00.000Z') },
  ]);
});

const namesOf = (window: TimeWindow | undefined) =>
  (window ? slicesOf(window) : []).map(({ from, to }) => `${from.toISOString()} ${to.toISOString()}`);

test('the slices of a day differ between its two listings, because a slice of one name runs once', () => {
  const week = namesOf(daysListedAgain(NOW)[0]);
  const month = namesOf(daysListedAgain(moment('2026-12-19T02:10:00.000Z'))[1]);
  expect([week.length, month.length]).toEqual([24, 24]);
  expect(month.filter((name) => week.includes(name))).toEqual([]);
});

test.each([
  ['a night', at('25T01:00:00.000'), 25],
  ['a week', at('19T01:00:00.000'), 25],
  ['all time', new Date(0), 25],
  ['a minute', at('26T01:59:00.000'), 1],
])('the slices of %s have no gap', (_what, from, maxSlices) => {
  const window = { from, to: at('26T02:00:00.000') };
  const slices = slicesOf(window);
  expect([slices[0]?.from, slices.at(-1)?.to]).toEqual([window.from, window.to]);
  for (const [nth, slice] of slices.slice(1).entries()) expect(slice.from).toEqual(slices[nth]?.to);
  expect(slices.length).toBeLessThanOrEqual(maxSlices);
});

test('the pages of all slices read every object of a window, also where a page ends between objects of one time', () => {
  const window = { from: at('25T01:00:00.000'), to: at('26T02:00:00.000') };
  const objects: { id: string; time: Date }[] = [];
  for (let time = window.from.getTime(); time < window.to.getTime(); time += 1_000)
    for (const id of ['a', 'b', 'c']) objects.push({ id: `${time} ${id}`, time: new Date(time) });
  const read = new Set<string>();
  for (const slice of slicesOf(window)) {
    const inSlice = objects.filter(({ time }) => slice.from <= time && time < slice.to);
    let position: ReturnType<typeof nextPosition> = { since: slice.from, after: null };
    while (position !== null) {
      const { since, after } = position;
      const from = after === null ? 0 : inSlice.findIndex(({ id }) => id === after) + 1;
      const rest = inSlice.slice(from).filter(({ time }) => time >= since);
      const page = rest.slice(0, OBJECTS_OF_A_PAGE);
      for (const { id } of page) read.add(id);
      const next = rest.length > page.length ? (page.at(-1)?.id ?? null) : null;
      position = nextPosition(position, slice, { times: page.map(({ time }) => time), next });
    }
  }
  expect(read.size).toBe(objects.length);
});

const window = { from: at('26T01:00:00.000'), to: at('26T02:00:00.000') };
const begin = { since: window.from, after: null };

test.each([
  ['the list has ended', [at('26T01:00:00.000')], null, null],
  [
    'the next page begins at the last time',
    [at('26T01:30:00.000')],
    'b',
    { since: at('26T01:30:00.000'), after: null },
  ],
  ['a whole page has one time', [window.from, window.from], 'b', { since: window.from, after: 'b' }],
  ['no object of the page can be read', [], 'b', { since: window.from, after: 'b' }],
])('a slice continues if %s', (_case, times, next, expected) => {
  expect(nextPosition(begin, window, { times, next })).toEqual(expected);
});

test.each([
  ['before the window', at('26T00:59:59.999')],
  ['at the end of the window', window.to],
  ['years later', new Date('2099-01-01T00:00:00.000Z')],
])('an object %s does not move the position of its slice', (_case, outlier) => {
  const times = [at('26T01:10:00.000'), outlier, at('26T01:30:00.000')];
  const next = { since: at('26T01:30:00.000'), after: null };
  expect(nextPosition(begin, window, { times, next: 'b' })).toEqual(next);
  expect(nextPosition(begin, window, { times: [times[2] as Date, outlier], next: 'b' })).toEqual(next);
  expect(nextPosition(begin, window, { times, next: null })).toBeNull();
});

test.each([
  ['has only objects outside the window', [at('26T00:59:59.999'), window.to], null, 'a'],
  ['is out of order', [at('26T01:30:00.000'), at('26T01:20:00.000')], 'b', 'a'],
  ['leads back to itself', [window.from], 'a', 'a'],
  ['leads back to itself, with an object outside the window', [window.from, window.to], 'a', 'a'],
])('a page does not count if it %s', (_case, times, next, after) => {
  expect(() => nextPosition({ since: window.from, after }, window, { times, next })).toThrow(WindowIgnored);
});

test.each([
  [0, 1, 50],
  [7, 2, 50],
  [10_000_000, 1_666_667, 69_445],
])('of %d accounts a night scans %d, in slices of %d', (all, accounts, perSlice) => {
  expect(shareOfNight(all)).toEqual({ accounts, perSlice });
});
