// Writes audit entries for requests: some must be on disk before the answer; refusals and repetitions are counted and
// written later, so that no flood of them slows an honest client or fills a disk. A process that is killed loses the
// last second's new kinds and the last minute's counts.
import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from '../database/orm.ts';
import { createWriteBatcher } from '../database/write-batcher.ts';
import type { Log } from '../logging/log.ts';
import type { Clock } from '../time/clock.ts';
import { createAggregatedRefusals, type Refused } from './aggregated-refusals.ts';
import { type CrossUserAccess, countCrossUserAccess } from './cross-user-access.ts';
import { type AuditEntry, insertEntries } from './entry.ts';
import { createRepetitions, type Done } from './repetitions.ts';

const FLUSH_EVERY_MS = 1_000;
/** An unreachable database must not keep a process from stopping. */
const LAST_FLUSH_MS = 1_000;
const BATCH_SIZE = 100;
/** Ids looked up per flush; how many more there were is counted. */
const MOST_MISSED = 1_000;
/** Entries that could not be written yet are kept, up to so many. */
const MOST_KEPT = 5_000;

export type AuditLog = {
  /** Resolves when it is on disk; repetitions within a minute are counted, and written at its end. */
  record: (done: Done, requestId: string) => Promise<void>;
  /** Returns immediately. */
  refused: (refused: Refused, requestId: string | null) => void;
  /** Returns immediately; an id that turns out to be another user's is recorded. */
  missed: (missed: CrossUserAccess) => void;
  /** Writes what has been counted so far. Also called every second, and a last time on stopping. */
  flush: (isLast?: boolean) => Promise<void>;
  stop: () => Promise<void>;
};

export function createAuditLog({ db, clock, log }: { db: Db; clock: Clock; log: Log }): AuditLog {
  const aggregated = createAggregatedRefusals(clock);
  const repetitions = createRepetitions(
    clock,
    createWriteBatcher((entries) => insertEntries(db, entries), BATCH_SIZE),
  );
  let missed: CrossUserAccess[] = [];
  let kept: AuditEntry[] = [];

  const writeDue = async (isLast: boolean): Promise<void> => {
    const ids = missed;
    missed = [];
    await countCrossUserAccess(db, aggregated, ids).catch((error: unknown) =>
      log.warn(
        { code: 'audit.not_found_unchecked', error, ids: ids.length },
        'ids that were not found could not be checked for other users’ rows',
      ),
    );
    kept = [...kept, ...aggregated.take(isLast), ...repetitions.take(isLast)].slice(0, MOST_KEPT);
    if (kept.length === 0) return;
    await insertEntries(db, kept);
    kept = [];
  };

  let underWay = Promise.resolve();
  // One after the other; what a failed flush could not write is left to the next.
  const flush = (isLast = false): Promise<void> => {
    underWay = underWay
      .then(() => writeDue(isLast))
      .catch((error: unknown) =>
        log.warn({ code: 'audit.refusals_unwritten', error }, 'refusals could not be recorded yet'),
      );
    return underWay;
  };
  const timer = setInterval(() => void flush(), FLUSH_EVERY_MS).unref();

  return {
    record: repetitions.record,
    refused: (refused, requestId) => aggregated.count(refused, requestId),
    missed: (one) => {
      if (missed.length < MOST_MISSED) missed.push(one);
      else aggregated.count({ action: 'not-found.uncounted', userId: null, details: {} }, one.requestId);
    },
    flush,
    stop: async () => {
      clearInterval(timer);
      await Promise.race([flush(true), pause(LAST_FLUSH_MS, undefined, { ref: false })]);
    },
  };
}
