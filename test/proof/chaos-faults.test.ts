// The faults that a chaos run injects on request: the options that request them, and the failure of a run in which one is missing.
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { missingFaults } from '../../proof/chaos/missing-faults.ts';
import { readOptions } from '../../proof/chaos/options.ts';
import { createCounts } from '../../proof/stack/counts.ts';

test('a long run has the heavy faults, and a short one only the requested ones', () => {
  const heavy = { clocks: true, backlog: true, lateRequests: true };
  expect(readOptions(['--long'])).toMatchObject(heavy);
  expect(readOptions(['--clocks', '--backlog', '--late-requests'])).toMatchObject(heavy);
  expect(readOptions([])).toMatchObject({
    clocks: false,
    backlog: false,
    lateRequests: false,
    mutation: null,
  });
});

test('each requested fault that never happened is named', () => {
  const all = readOptions(['--long', '--imperfect-provider']);
  expect(missingFaults(all, createCounts(), {})).toHaveLength(8);
  const counts = {
    ...createCounts(),
    wrongClocks: 2,
    backlog: 2_000,
    unordered: 1,
    lateRequests: 1,
    returns: 1,
  };
  const faults = { 'provider.unseenWrite': 3, 'provider.unreadable': 1, 'provider.otherReferences': 1 };
  expect(missingFaults(all, counts, faults)).toEqual([]);
  expect(missingFaults(all, { ...counts, backlog: 12 }, faults)).toEqual([
    expect.stringContaining('due rows when all instances came back: 12'),
  ]);
});

test('a run without requested faults misses none', () => {
  expect(missingFaults(readOptions([]), createCounts(), {})).toEqual([]);
});

test.each([-240_000, 240_000])(
  'a process starts with a clock that is %i ms from the machine’s',
  (aheadMs) => {
    const preload = new URL('../../proof/stack/wrong-clock.ts', import.meta.url).href;
    const read =
      'console.log(Date.now(), new Date().getTime(), new Date(7).getTime(), new Date() instanceof Date)';
    const before = Date.now();
    const { stdout } = spawnSync(process.execPath, ['--import', preload, '--eval', read], {
      encoding: 'utf8',
      env: { ...process.env, WRONG_CLOCK_MS: String(aheadMs) },
    });
    const [now = '', made = '', fixed, isDate] = stdout.trim().split(' ');
    for (const time of [now, made]) {
      expect(Number(time)).toBeGreaterThanOrEqual(before + aheadMs);
      expect(Number(time)).toBeLessThanOrEqual(Date.now() + aheadMs);
    }
    expect([fixed, isDate]).toEqual(['7', 'true']);
  },
);
