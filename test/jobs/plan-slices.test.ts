// The slices of windows cover all time without gaps, and pages of a slice continue by time.
import { expect, test } from 'vitest';
import {
  nextPosition,
  planSlices,
  shareOfNight,
  WindowIgnored,
} from '../../src/jobs/reconciliation/windows.ts';

const at = (text: string) => new Date(`2026-11-${text}Z`);
const NOW = at('26T02:10:00.000');

test('a window ends ten minutes ago and overlaps the last one by an hour, without gaps between its slices', () => {
  const slices = planSlices(at('25T02:00:00.000'), NOW);
  expect(slices[0]?.from).toEqual(at('25T01:00:00.000'));
  expect(slices.at(-1)?.to).toEqual(at('26T02:00:00.000'));
  for (const [nth, slice] of slices.slice(1).entries()) expect(slice.from).toEqual(slices[nth]?.to);
  expect(slices.length).toBeLessThanOrEqual(97);
});

test('the first window begins with the oldest change', () => {
  const slices = planSlices(null, NOW);
  expect(slices[0]?.from.getTime()).toBe(0);
  expect(slices[1]?.from).toEqual(slices[0]?.to);
  expect(slices.at(-1)?.to).toEqual(at('26T02:00:00.000'));
});

test('no window is planned before the last one is ten minutes old', () => {
  expect(planSlices(at('26T02:00:00.000'), NOW)).toEqual([]);
  expect(planSlices(at('26T03:00:00.000'), NOW)).toEqual([]);
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
  ['before the window', [at('26T00:59:59.999')], null, 'a'],
  ['at the end of the window', [window.to], null, 'a'],
  ['out of order', [at('26T01:30:00.000'), at('26T01:20:00.000')], 'b', 'a'],
  ['on a page that leads back to itself', [window.from], 'a', 'a'],
])('a page does not count if it has an object %s', (_case, times, next, after) => {
  expect(() => nextPosition({ since: window.from, after }, window, { times, next })).toThrow(WindowIgnored);
});

test.each([
  [0, 1, 50],
  [7, 2, 50],
  [10_000_000, 1_666_667, 17_362],
])('of %d accounts a night scans %d, in slices of %d', (all, accounts, perSlice) => {
  expect(shareOfNight(all)).toEqual({ accounts, perSlice });
});
