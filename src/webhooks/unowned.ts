// Callbacks whose reference is not ours: made up by a caller who knows the path, or earlier than our own commit. When one is due, it is
// looked up in our tables first. All of them share one fetch a second of this process; the others wait for their turns in the table.

import type { Callback } from '../provider/callback.ts';
import type { Db } from '../tables/orm.ts';
import { findNamedResource } from '../tables/provider-resources/statements.ts';
import { UNOWNED_TURN_EVERY_MS } from '../tables/webhook-events/statements.ts';

/** Returns whether a callback names a resource to fetch, and no row here has its reference or its handle. */
export const isUnowned = async (db: Db, { resource, names }: Callback): Promise<boolean> =>
  resource !== null && (await findNamedResource(db, names)) === undefined;

export type UnownedTurns = {
  /** Returns whether a reference that is not ours may be fetched now. If true, the next fetch has to wait. */
  mayFetch: () => boolean;
  /** Returns in how many milliseconds the last turn is that this process has planned. */
  lastInMs: () => number;
  /** Says that this many callbacks were planned after the last turn, one for each fetch. */
  planned: (count: number) => void;
};

/** @param nowMs a clock that never moves back. */
export function createUnownedTurns(nowMs = (): number => performance.now()): UnownedTurns {
  let nextFetchAtMs = Number.NEGATIVE_INFINITY;
  let lastTurnAtMs = Number.NEGATIVE_INFINITY;
  const lastInMs = (): number => Math.max(0, lastTurnAtMs - nowMs());
  return {
    mayFetch: () => {
      const now = nowMs();
      if (now < nextFetchAtMs) return false;
      nextFetchAtMs = now + UNOWNED_TURN_EVERY_MS;
      return true;
    },
    lastInMs,
    planned: (count) => {
      lastTurnAtMs = nowMs() + lastInMs() + count * UNOWNED_TURN_EVERY_MS;
    },
  };
}
