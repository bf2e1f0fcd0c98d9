// Callbacks that arrive late count as an overload only if this process is busy.
import { expect, test } from 'vitest';
import { watchArrivals } from '../../src/webhooks/arrivals.ts';

/** Arrivals on a clock of the test. `halfSecond` brings callbacks of an age, and returns how late they count afterwards. */
function arrivals() {
  const process = { isBusy: false };
  let nowMs = 0;
  const { arrived, lateMs } = watchArrivals(
    () => process.isBusy,
    () => nowMs,
  );
  const halfSecond = (ageMs: number, count = 10): number => {
    for (let nth = 0; nth < count; nth += 1) arrived(ageMs);
    nowMs += 500;
    return lateMs();
  };
  return { process, halfSecond };
}

test('callbacks that arrive later than usual in a busy process count with the difference', () => {
  const { process, halfSecond } = arrivals();
  expect(halfSecond(40)).toBe(0);
  process.isBusy = true;
  expect(halfSecond(940)).toBe(900);
  expect(halfSecond(1_840)).toBe(1_800);
});

test('callbacks that arrive late in a process that is not busy do not count: the provider is slow', () => {
  const { halfSecond } = arrivals();
  expect([40, 940, 5_000, 60_000].map((ageMs) => halfSecond(ageMs))).toEqual([0, 0, 0, 0]);
});

test('lateness counts for a few seconds after the process was busy, while the provider sends what is left', () => {
  const { process, halfSecond } = arrivals();
  halfSecond(40);
  process.isBusy = true;
  halfSecond(2_040);
  process.isBusy = false;
  expect(Array.from({ length: 9 }, () => halfSecond(1_040))).toEqual(Array.from({ length: 9 }, () => 1_000));
  expect(halfSecond(1_040)).toBe(0);
});

test.for([-3_600_000, 3_600_000])(
  'a provider whose clock is %i ms ahead is as late as any other',
  (aheadMs) => {
    const { process, halfSecond } = arrivals();
    halfSecond(40 - aheadMs);
    process.isBusy = true;
    expect(halfSecond(1_040 - aheadMs)).toBe(1_000);
  },
);

test('a process that is busy from its first moment compares with the earliest callbacks it received', () => {
  const { process, halfSecond } = arrivals();
  process.isBusy = true;
  expect([30, 800, 1_600].map((ageMs) => halfSecond(ageMs))).toEqual([0, 770, 1_570]);
});

test('one or two late callbacks do not count, nor do a few among many', () => {
  const { process, halfSecond } = arrivals();
  halfSecond(40);
  process.isBusy = true;
  expect(halfSecond(90_000, 2)).toBe(0);
  const { process: other, halfSecond: mixed } = arrivals();
  mixed(40);
  other.isBusy = true;
  mixed(40, 0);
  expect(mixed(40, 20)).toBe(0);
});
