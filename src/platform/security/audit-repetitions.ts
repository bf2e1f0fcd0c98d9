// Records actions that a user may repeat without limit and that must be on record before the response is sent. The first action in
// a minute is written immediately. Its repetitions become one more entry at the end of the minute, with their number. The number
// cannot be added to the first row, because the hash chain seals it.
import type { Clock } from '../../domain/clock.ts';
import type { AuditEntry } from './audit-entry.ts';

const WINDOW_MS = 60_000;
/** How many users' repetitions are counted at the same time. The actions of further users are written one by one. */
const MOST_PEOPLE = 10_000;

export type Done = { action: string; userId: string };

export type Repetitions = {
  /**
   * Resolves when the entry is on disk. For a repetition, it resolves when the entry of the first action is.
   * Rejects with the error of that write.
   */
  record: (done: Done, requestId: string) => Promise<void>;
  /** Returns the entries of minutes that have ended; with `isLast`, all entries. */
  take: (isLast?: boolean) => AuditEntry[];
};

type Minute = {
  done: Done;
  firstWritten: Promise<void>;
  endsAtMs: number;
  number: number;
  since: Date;
  requestId: string;
};

/** Counts repetitions. @param write resolves when the entry is on disk. */
export function createRepetitions(clock: Clock, write: (entry: AuditEntry) => Promise<void>): Repetitions {
  const minutes = new Map<string, Minute>();
  let ended: Minute[] = [];

  const end = (key: string, minute: Minute): void => {
    minutes.delete(key);
    if (minute.number > 0) ended.push(minute);
  };

  const begin = async (key: string, done: Done, requestId: string): Promise<void> => {
    const now = clock.now();
    const firstWritten = write({ ...done, at: now, requestId, details: {} });
    const endsAtMs = now.getTime() + WINDOW_MS;
    if (minutes.size < MOST_PEOPLE)
      minutes.set(key, { done, firstWritten, endsAtMs, number: 0, since: now, requestId });
    try {
      await firstWritten;
    } catch (error) {
      // The next action is written again. Without the first row, repetitions would be answered although nothing is on disk.
      minutes.delete(key);
      throw error;
    }
  };

  return {
    record: (done, requestId) => {
      const key = `${done.action} ${done.userId}`;
      const now = clock.now();
      const minute = minutes.get(key);
      if (minute !== undefined && now.getTime() < minute.endsAtMs) {
        if (minute.number === 0) Object.assign(minute, { since: now, requestId });
        minute.number += 1;
        return minute.firstWritten;
      }
      if (minute !== undefined) end(key, minute);
      return begin(key, done, requestId);
    },
    take: (isLast = false) => {
      const now = clock.now();
      for (const [key, minute] of minutes) if (isLast || minute.endsAtMs <= now.getTime()) end(key, minute);
      const due = ended;
      ended = [];
      return due.map((minute) => entryOf(minute, now));
    },
  };
}

const entryOf = ({ done, number, since, requestId }: Minute, now: Date): AuditEntry => ({
  ...done,
  at: now,
  requestId,
  details: { number, since: since.toISOString() },
});
