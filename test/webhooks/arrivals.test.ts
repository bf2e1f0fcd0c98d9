// Callbacks that arrive late count as an overload only if this process is busy.
import { expect, test } from 'vitest';
import { watchArrivals } from '../../src/webhooks/arrivals.ts';

/** Arrivals on a clock of the test. `quarter` brings callbacks of an age during a quarter of a second, and returns how late they count. */
function arrivals() {
  const process = { isBusy: false };
  let nowMs = 0;
  const { arrived, lateMs } = watchArrivals(
    () => process.isBusy,
    () => nowMs,
  );
  const quarter = (ageMs: number, count = 20): number => {
    for (let nth = 0; nth < count; nth += 1) arrived(ageMs);
    nowMs += 250;
    return lateMs();
  };
  return { process, quarter };
}

test('callbacks that arrive later than usual in a busy process count with the difference, once that has lasted', () => {
  const { process, quarter } = arrivals();
  expect(quarter(40)).toBe(0);
  process.isBusy = true;
  expect([940, 1_840, 2_740, 3_640].map((ageMs) => quarter(ageMs))).toEqual([0, 0, 0, 3_600]);
});

test('callbacks that arrive late in a process that is not busy do not count: the provider is slow', () => {
  const { quarter } = arrivals();
  expect([40, 940, 5_000, 60_000].map((ageMs) => quarter(ageMs))).toEqual([0, 0, 0, 0]);
});

test('lateness counts for a few seconds after the process was busy, while the provider sends what is left', () => {
  const { process, quarter } = arrivals();
  quarter(40);
  process.isBusy = true;
  for (const ageMs of [2_040, 2_040, 2_040, 2_040]) quarter(ageMs);
  process.isBusy = false;
  expect(Array.from({ length: 19 }, () => quarter(1_040))).toEqual(Array.from({ length: 19 }, () => 1_000));
  expect(quarter(1_040)).toBe(0);
});

test.for([-3_600_000, 3_600_000])(
  'a provider whose clock is %i ms ahead is as late as any other',
  (aheadMs) => {
    const { process, quarter } = arrivals();
    quarter(40 - aheadMs);
    process.isBusy = true;
    expect([1_040, 1_040, 1_040, 1_040].map((ageMs) => quarter(ageMs - aheadMs))).toEqual([0, 0, 0, 1_000]);
  },
);

test('a process that is busy from its first moment compares with the earliest callbacks it received', () => {
  const { process, quarter } = arrivals();
  process.isBusy = true;
  expect([30, 800, 1_600, 2_400, 3_200].map((ageMs) => quarter(ageMs))).toEqual([0, 0, 0, 0, 3_170]);
});

test('a few late callbacks do not count, nor does one busy moment', () => {
  const { process, quarter } = arrivals();
  quarter(40);
  process.isBusy = true;
  expect([1, 2, 3, 4].map(() => quarter(90_000, 19))).toEqual([0, 0, 0, 0]);
  expect([2_040, 2_040, 2_040, 40, 2_040].map((ageMs) => quarter(ageMs))).toEqual([0, 0, 0, 0, 0]);
});
