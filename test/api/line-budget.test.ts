// How many log lines a flood of refusals writes.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLineBudget } from '../../src/api/line-budget.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Omitted = [kind: string, lines: number];

function flood(kinds: string[]): { written: string[]; omitted: Omitted[]; refuse: (times: number) => void } {
  const written: string[] = [];
  const omitted: Omitted[] = [];
  const mayWrite = createLineBudget((kind, lines) => omitted.push([kind, lines]));
  const refuse = (times: number): void => {
    for (let time = 0; time < times; time += 1)
      for (const kind of kinds) if (mayWrite(kind)) written.push(kind);
  };
  return { written, omitted, refuse };
}

test('the first ten refusals of a second are lines, and the others are one line with their number', () => {
  const { written, omitted, refuse } = flood(['unauthorized']);
  refuse(854);
  expect(written).toHaveLength(10);
  expect(omitted).toEqual([]);
  vi.advanceTimersByTime(1_000);
  expect(omitted).toEqual([['unauthorized', 844]]);
});

test('each code has its own ten lines', () => {
  const { written, omitted, refuse } = flood(['unauthorized', 'not_found']);
  refuse(11);
  vi.advanceTimersByTime(1_000);
  expect(written).toHaveLength(20);
  expect(omitted).toEqual([
    ['unauthorized', 1],
    ['not_found', 1],
  ]);
});

test('the next second has lines again, and a few refusals have no line with a number', () => {
  const { written, omitted, refuse } = flood(['unauthorized']);
  refuse(20);
  vi.advanceTimersByTime(1_000);
  refuse(10);
  vi.advanceTimersByTime(5_000);
  expect(written).toHaveLength(20);
  expect(omitted).toEqual([['unauthorized', 10]]);
});
