// Remembers until which time all due work has been taken, so that a claim need not begin with the oldest. While an old snapshot is open in
// the database, PostgreSQL keeps the index entries of all work that has been done since, and a claim from the beginning reads each of them.

import type { DatabaseTime } from '../platform/database/database-time.ts';
import { COMMITTED_WITHIN_MS } from '../tables/work.ts';

/** How often to look from the beginning. This finds work that another process released, and work whose commit was late. */
const FROM_THE_BEGINNING_EVERY_MS = 60_000;

export type TakenUntil = {
  /** Begins to look at all due work. Returns the time from which to look. Null: from the beginning. */
  begin: () => Date | null;
  /**
   * Records one look. Everything between its beginning and this time has been taken.
   * @param isLast whether all due work has been looked at since `begin`.
   */
  looked: (takenUntil: Date, isLast: boolean) => void;
  /** Looks from the beginning next time: work that was left out may be taken again. */
  forget: () => void;
};

/**
 * Returns the time before which all due work has been taken. Work that became due in the last seconds may still be committed.
 * @param leftAt when the oldest due work that was not taken became due. Null if all was taken.
 */
export function allTakenUntil(now: DatabaseTime, leftAt: Date | null): Date {
  const committed = now.plus(-COMMITTED_WITHIN_MS);
  return leftAt !== null && committed.msUntil(leftAt) < 0 ? leftAt : committed.toDate();
}

export function createTakenUntil(): TakenUntil {
  let lastTakenUntil: Date | null = null;
  let earliest: Date | null = null;
  let fromBeginningAtMs = Number.NEGATIVE_INFINITY;
  return {
    begin: () => {
      earliest = null;
      if (performance.now() - fromBeginningAtMs < FROM_THE_BEGINNING_EVERY_MS) return lastTakenUntil;
      fromBeginningAtMs = performance.now();
      return null;
    },
    looked: (takenUntil, isLast) => {
      if (earliest === null || takenUntil < earliest) earliest = takenUntil;
      if (isLast) lastTakenUntil = earliest;
    },
    forget: () => {
      // A look that is in progress may have left that work out, so its end must not count.
      fromBeginningAtMs = Number.NEGATIVE_INFINITY;
    },
  };
}
