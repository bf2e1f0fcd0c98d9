// How often commits begin: a few at once after a rest, and beyond those one in 15 ms.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createCommitPace } from '../../src/database/commit-pace.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** When each of `count` commits begins that wait for one another, in milliseconds from now. */
async function beginnings(pace: ReturnType<typeof createCommitPace>, count: number): Promise<number[]> {
  const from = performance.now();
  const begun: number[] = [];
  const all = (async () => {
    for (let n = 0; n < count; n += 1) {
      await pace();
      begun.push(Math.round(performance.now() - from));
    }
  })();
  await vi.advanceTimersByTimeAsync(1_000);
  await all;
  return begun;
}

it('lets four commits begin at once, and then one in 15 ms', async () => {
  const pace = createCommitPace();
  expect(await beginnings(pace, 7)).toEqual([0, 0, 0, 0, 15, 30, 45]);
});

it('lets as many begin at once again after a rest, and no more', async () => {
  const pace = createCommitPace();
  await beginnings(pace, 7);
  expect(await beginnings(pace, 6)).toEqual([0, 0, 0, 0, 15, 30]);
});
