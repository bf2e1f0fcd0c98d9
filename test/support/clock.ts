// A clock that runs with the real one until it is moved.
import type { Clock } from '../../src/time/clock.ts';

export type TestClock = Clock & {
  advance: (ms: number) => void;
  /** Runs `work` at a time `ms` later, and sets the clock back: the sandbox has a clock of its own, which stays. */
  later: <Result>(ms: number, act: () => Promise<Result>) => Promise<Result>;
};

let startsAheadMs = 0;

/**
 * From now on the clocks of services in this test file are so far ahead of all others, in milliseconds, or behind them with a
 * negative number.
 */
export function startClocksAhead(ms: number): void {
  startsAheadMs = ms;
}

/** For ID tokens that such a service takes: one that was issued in its future is refused. */
export const issuedInItsPast = (): { expiresInSeconds?: number } =>
  startsAheadMs < 0 ? { expiresInSeconds: startsAheadMs / 1_000 + 50 } : {};

export function createTestClock(): TestClock {
  let offsetMs = startsAheadMs;
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
