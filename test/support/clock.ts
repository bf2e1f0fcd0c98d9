// A clock that follows the real one until a test moves it.
import type { Clock } from '../../src/domain/clock.ts';

export type TestClock = Clock & {
  advance: (ms: number) => void;
  /** Runs `act` at a time `ms` later, and sets the clock back. The sandbox's own clock stays the same. */
  later: <Result>(ms: number, act: () => Promise<Result>) => Promise<Result>;
};

let startsAheadMs = 0;

/** Sets the clocks of this test file's services ahead of all others, in milliseconds, or behind with a negative number. */
export function startClocksAhead(ms: number): void {
  startsAheadMs = ms;
}

/** Claims for ID tokens that such a service accepts: a token that was issued in the service's future is refused. */
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
