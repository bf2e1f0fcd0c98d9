// How many log lines a flood of refusals writes.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { anonymousLines, createLineBudget } from '../../src/api/line-budget.ts';
import { createLog } from '../../src/start/log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const MINUTE_MS = 60_000;

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

test('the first refusal of a minute is a line, and the others are one line with their number', () => {
  const { written, omitted, refuse } = flood(['unauthorized']);
  refuse(854);
  expect(written).toHaveLength(1);
  expect(omitted).toEqual([]);
  vi.advanceTimersByTime(MINUTE_MS);
  expect(omitted).toEqual([['unauthorized', 853]]);
});

test('each code has its own line, and its own minute', () => {
  const { written, omitted, refuse } = flood(['unauthorized', 'not_found']);
  refuse(2);
  vi.advanceTimersByTime(MINUTE_MS);
  expect(written).toHaveLength(2);
  expect(omitted).toEqual([
    ['unauthorized', 1],
    ['not_found', 1],
  ]);
});

test('a flood that lasts writes one line a minute', () => {
  const { written, omitted, refuse } = flood(['unauthorized']);
  for (let second = 0; second < 600; second += 1) {
    refuse(100);
    vi.advanceTimersByTime(1_000);
  }
  expect(written).toHaveLength(1);
  expect(omitted).toHaveLength(10);
  expect(omitted.reduce((sum, [, lines]) => sum + lines, 0)).toBe(60_000 - 1);
});

test('after a minute without a refusal, the next one has a line, and nothing was omitted', () => {
  const { written, omitted, refuse } = flood(['unauthorized']);
  refuse(2);
  vi.advanceTimersByTime(2 * MINUTE_MS);
  refuse(1);
  vi.advanceTimersByTime(5 * MINUTE_MS);
  expect(written).toHaveLength(2);
  expect(omitted).toEqual([['unauthorized', 1]]);
});

test('the number of the others is logged with their code, and level debug omits nothing', () => {
  const lines: string[] = [];
  const to = { write: (line: string) => void lines.push(line) };
  const mayWrite = anonymousLines(createLog('info', to));
  expect([mayWrite('not_found'), mayWrite('not_found'), mayWrite('not_found')]).toEqual([true, false, false]);
  vi.advanceTimersByTime(MINUTE_MS);
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({ level: 'info', code: 'request.lines_omitted', refusal: 'not_found', lines: 2 }),
  ]);
  const mayWriteAll = anonymousLines(createLog('debug', to));
  expect([mayWriteAll('not_found'), mayWriteAll('not_found')]).toEqual([true, true]);
});
