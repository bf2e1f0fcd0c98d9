// The way into the audit record for what happens at the edge: what must be on disk before it is answered, and refusals and
// repetitions, which are counted and written later, so that no flood of them slows an honest client or fills a disk. A process
// that is killed takes the last second's new kinds, and the last minute's counts, with it.
import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from '../database/orm.ts';
import { createWriteBatcher } from '../database/write-batcher.ts';
import type { Log } from '../logging/log.ts';
import type { Clock } from '../time/clock.ts';
import { createAggregatedRefusals, type Refused } from './aggregated-refusals.ts';
import { type CrossUserAccess, countCrossUserAccess } from './cross-user-access.ts';
import { type AuditEntry, insertEntries } from './entry.ts';
import { createRepetitions, type Done } from './repetitions.ts';

const TURN_EVERY_MS = 1_000;
/** A database that is gone must not keep a process from stopping. */
const LAST_TURN_MS = 1_000;
const MOST_AT_ONCE = 100;
/** Ids that are looked up in a turn; how many more there were is counted. */
const MOST_MISSED = 1_000;
/** What could not be written yet is kept, up to so many entries. */
const MOST_KEPT = 5_000;

export type AuditLog = {
  /** Resolves when it is on disk; repetitions within a minute are counted, and written at its end. */
  record: (done: Done, requestId: string) => Promise<void>;
  /** Returns immediately. */
  refused: (refused: Refused, requestId: string | null) => void;
  /** Returns immediately; what turns out to be another user's is recorded. */
  missed: (missed: CrossUserAccess) => void;
  /** Writes what has been counted so far. Also done every second, and for the last time on stopping. */
  flush: (isLast?: boolean) => Promise<void>;
  stop: () => Promise<void>;
};

export function createAuditLog({ db, clock, log }: { db: Db; clock: Clock; log: Log }): AuditLog {
  const tally = createAggregatedRefusals(clock);
  const repetitions = createRepetitions(
    clock,
    createWriteBatcher((entries) => insertEntries(db, entries), MOST_AT_ONCE),
  );
  let missed: CrossUserAccess[] = [];
  let kept: AuditEntry[] = [];

  const turn = async (isLast: boolean): Promise<void> => {
    const looked = missed;
    missed = [];
    await countCrossUserAccess(db, tally, looked).catch((error: unknown) =>
      log.warn(
        { code: 'audit.not_found_unchecked', error, ids: looked.length },
        'ids that were not found could not be checked for other users’ rows',
      ),
    );
    kept = [...kept, ...tally.take(isLast), ...repetitions.take(isLast)].slice(0, MOST_KEPT);
    if (kept.length === 0) return;
    await insertEntries(db, kept);
    kept = [];
  };

  let underWay = Promise.resolve();
  // One after the other, and a failure leaves everything for the next turn.
  const flush = (isLast = false): Promise<void> => {
    underWay = underWay
      .then(() => turn(isLast))
      .catch((error: unknown) =>
        log.warn({ code: 'audit.refusals_unwritten', error }, 'refusals could not be recorded yet'),
      );
    return underWay;
  };
  const timer = setInterval(() => void flush(), TURN_EVERY_MS).unref();

  return {
    record: repetitions.record,
    refused: (refused, requestId) => tally.count(refused, requestId),
    missed: (one) => {
      if (missed.length < MOST_MISSED) missed.push(one);
      else tally.count({ action: 'not-found.uncounted', userId: null, details: {} }, one.requestId);
    },
    flush,
    stop: async () => {
      clearInterval(timer);
      await Promise.race([flush(true), pause(LAST_TURN_MS, undefined, { ref: false })]);
    },
  };
}
