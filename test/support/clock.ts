// Clocks that follow the real ones until a test moves them.
import type { Clock } from '../../src/domain/clock.ts';
import { type DatabaseClock, systemDatabaseClock } from '../../src/platform/database/database-time.ts';

export type TestClock = Clock & {
  /** The database's clock as the service reads it. It moves with this clock, but not with `ahead`. */
  database: DatabaseClock;
  advance: (ms: number) => void;
  /** Runs `act` at a time `ms` later, and sets the clocks back. The sandbox's own clock stays the same. */
  later: <Result>(ms: number, act: () => Promise<Result>) => Promise<Result>;
  /** Runs `act` while only the process's clock is `ms` ahead of all others. */
  ahead: <Result>(ms: number, act: () => Promise<Result>) => Promise<Result>;
};

let startsAheadMs = 0;

/** Sets the process clocks of this test file's services ahead of all others, in milliseconds, or behind with a negative number. */
export function startClocksAhead(ms: number): void {
  startsAheadMs = ms;
}

/** Claims for ID tokens that such a service accepts: a token that was issued in the service's future is refused. */
export const issuedInItsPast = (): { expiresInSeconds?: number } =>
  startsAheadMs < 0 ? { expiresInSeconds: startsAheadMs / 1_000 + 50 } : {};

export function createTestClock(): TestClock {
  let aheadMs = startsAheadMs;
  let laterMs = 0;
  const advance = (ms: number): void => {
    laterMs += ms;
  };
  return {
    now: () => new Date(Date.now() + laterMs + aheadMs),
    database: { now: async (db) => (await systemDatabaseClock.now(db)).plus(laterMs) },
    advance,
    later: (ms, act) => during((sign) => advance(sign * ms), act),
    ahead: (ms, act) => during((sign) => void (aheadMs += sign * ms), act),
  };
}

/** Moves a clock while `act` runs, and sets it back. */
async function during<Result>(move: (sign: 1 | -1) => void, act: () => Promise<Result>): Promise<Result> {
  move(1);
  try {
    return await act();
  } finally {
    move(-1);
  }
}
