// Records actions that a user may repeat without limit and that must be on record before the response is sent. The first action in
// a minute is written immediately. Its repetitions become one more entry at the end of the minute, with their number. The number
// cannot be added to the first row, because the hash chain seals it.
import type { Clock } from '../domain/clock.ts';
import { type AuditCounts, WINDOW_MS } from './counts.ts';
import type { AuditEntry } from './entry.ts';

/** How many users' repetitions are counted at the same time. The actions of further users are written one by one. */
export const MAX_USERS = 10_000;

export type Done = { action: string; userId: string };

/**
 * Resolves when the entry is on disk. For a repetition, it resolves when the entry of the first action is.
 * Rejects with the error of that write.
 */
export type RecordDone = (done: Done, requestId: string) => Promise<void>;

/** @param write resolves when the entry is on disk. */
export function createRepetitions(
  clock: Clock,
  counts: AuditCounts,
  write: (entry: AuditEntry) => Promise<void>,
): RecordDone {
  const minutes = new Map<string, { firstWritten: Promise<void>; endsAtMs: number }>();

  return async (done, requestId) => {
    const key = `${done.action} ${done.userId}`;
    const now = clock.now();
    const minute = minutes.get(key);
    if (minute !== undefined && now.getTime() < minute.endsAtMs) {
      await minute.firstWritten;
      counts.count({ ...done, details: {} }, requestId, { dueAtMs: minute.endsAtMs });
      return;
    }
    const firstWritten = write({ ...done, at: now, requestId, details: {} });
    if (minutes.size < MAX_USERS) minutes.set(key, { firstWritten, endsAtMs: now.getTime() + WINDOW_MS });
    setTimeout(() => minutes.delete(key), WINDOW_MS).unref();
    try {
      await firstWritten;
    } catch (error) {
      // The next action is written again. Without the first row, repetitions would be answered although nothing is on disk.
      minutes.delete(key);
      throw error;
    }
  };
}
