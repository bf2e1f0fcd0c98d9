// A clock that runs with the real one until it is moved.
import type { Clock } from '../../src/clock.ts';

export type TestClock = Clock & { advance: (ms: number) => void };

export function createTestClock(): TestClock {
  let offsetMs = 0;
  return {
    now: () => new Date(Date.now() + offsetMs),
    advance: (ms) => {
      offsetMs += ms;
    },
  };
}
