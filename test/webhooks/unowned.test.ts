// References that are not ours share one fetch a second of a process. Those that wait are planned one after the other.
import { expect, test } from 'vitest';
import { createUnownedTurns } from '../../src/webhooks/unowned.ts';

test('a process fetches one such reference immediately, and then at most one a second', () => {
  let nowMs = 5_000;
  const { mayFetch } = createUnownedTurns(() => nowMs);
  const answers = [0, 0, 999, 1, 0, 10_000, 0].map((laterMs) => {
    nowMs += laterMs;
    return mayFetch();
  });
  expect(answers).toEqual([true, false, false, true, false, true, false]);
});

test('turns are planned a second apart, and the time that has passed frees them', () => {
  let nowMs = 5_000;
  const { lastInMs, planned } = createUnownedTurns(() => nowMs);
  expect(lastInMs()).toBe(0);
  planned(2);
  planned(1);
  expect(lastInMs()).toBe(3_000);
  nowMs += 2_500;
  expect(lastInMs()).toBe(500);
  nowMs += 60_000;
  expect(lastInMs()).toBe(0);
  planned(1);
  expect(lastInMs()).toBe(1_000);
});
