// A clock that runs with the real one until it is moved.
import type { Clock } from '../../src/time/clock.ts';

export type TestClock = Clock & {
  advance: (ms: number) => void;
  /** Runs `work` at a time `ms` later, and sets the clock back: the sandbox has a clock of its own, which stays. */
  later: <Result>(ms: number, act: () => Promise<Result>) => Promise<Result>;
};

export function createTestClock(): TestClock {
  let offsetMs = 0;
  const advance = (ms: number): void => {
    offsetMs += ms;
  };
  return {
    now: () => new Date(Date.now() + offsetMs),
    advance,
    later: async (ms, act) => {
      advance(ms);
      try {
        return await act();
      } finally {
        advance(-ms);
      }
    },
  };
}
