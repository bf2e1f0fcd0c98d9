// Writes audit entries for requests. Some entries must be on disk before the response is sent. Refusals and repetitions are counted
// and written later, so a flood of them neither slows other clients nor fills the disk. If a process is killed, the new kinds of
// the last second and the counts of the last minute are lost.
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../domain/clock.ts';
import type { Log } from '../domain/log.ts';
import { createWriteBatcher } from '../platform/database/write-batcher.ts';
import type { Db } from '../tables/orm.ts';
import { type CountedKind, type CrossUserAccess, countCrossUserAccess, createAuditCounts } from './counts.ts';
import { type AuditEntry, insertEntries } from './entry.ts';
import { createRepetitions, MAX_USERS, type RecordDone } from './repetitions.ts';

const FLUSH_EVERY_MS = 1_000;
/** The time limit of the last flush. An unreachable database must not keep a process from stopping. */
const LAST_FLUSH_MS = 1_000;
const BATCH_SIZE = 100;
/** How many kinds of refusals are counted separately at a time. */
const MAX_KINDS = 1_000;
/** The maximum number of ids that are looked up per flush. Further ids are only counted. */
const MAX_MISSED = 1_000;
/** The maximum number of entries that are kept after a failed write, for the next attempt. */
const MAX_KEPT = 5_000;

export type AuditLog = {
  /** Resolves when the entry is on disk. Repetitions within a minute are counted and written at the end of that minute. */
  record: RecordDone;
  refused: (refused: CountedKind, requestId: string | null) => void;
  /** Queues ids that were not found and returns immediately. The next flush records those that belong to another user. */
  missed: (missed: CrossUserAccess) => void;
  /** Writes what has been counted so far. It also runs every second and once more when the process stops. */
  flush: (isLast?: boolean) => Promise<void>;
  stop: () => Promise<void>;
};

export function createAuditLog({ db, clock, log }: { db: Db; clock: Clock; log: Log }): AuditLog {
  const refusals = createAuditCounts(clock, MAX_KINDS);
  // A kind is kept for up to two minutes, so no repetition is ever counted by its action alone.
  const repetitions = createAuditCounts(clock, 2 * MAX_USERS);
  const write = createWriteBatcher((entries: AuditEntry[]) => insertEntries(db, entries), BATCH_SIZE);
  let missed: CrossUserAccess[] = [];
  let kept: AuditEntry[] = [];

  const writeDue = async (isLast: boolean): Promise<void> => {
    const ids = missed;
    missed = [];
    await countCrossUserAccess(db, refusals, ids).catch((error: unknown) =>
      log.warn(
        { code: 'audit.not_found_unchecked', error, ids: ids.length },
        'ids that were not found could not be checked for other users’ rows',
      ),
    );
    kept = [...kept, ...refusals.take(isLast), ...repetitions.take(isLast)].slice(0, MAX_KEPT);
    if (kept.length === 0) return;
    await insertEntries(db, kept);
    kept = [];
  };

  let underWay = Promise.resolve();
  // Flushes run one after the other. The next flush retries the entries that a failed one could not write.
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
    record: createRepetitions(clock, repetitions, write),
    refused: refusals.count,
    missed: (one) => {
      if (missed.length < MAX_MISSED) missed.push(one);
      else refusals.count({ action: 'not-found.uncounted', userId: null, details: {} }, one.requestId);
    },
    flush,
    stop: async () => {
      clearInterval(timer);
      await Promise.race([flush(true), pause(LAST_FLUSH_MS, undefined, { ref: false })]);
    },
  };
}
