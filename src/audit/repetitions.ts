// For what a user may do without limit and what must be on record before it is answered: the first time in a minute is
// written then, its repetitions are one more entry at the minute's end, with their number. A written row is sealed by
// the chain, so the number cannot be added to it.
import type { Clock } from '../time/clock.ts';
import type { AuditEntry } from './entry.ts';

const WINDOW_MS = 60_000;
/** Users whose repetitions are counted at the same time; those of further users are written one by one. */
const MOST_PEOPLE = 10_000;

export type Done = { action: string; userId: string };

export type Repetitions = {
  /** Resolves when it is on disk; a repetition, when the one that it repeats is. Rejects with the error of that write. */
  record: (done: Done, requestId: string) => Promise<void>;
  /** @returns the entries of minutes that have ended; `isLast` hands over everything. */
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

/** @param write resolves when the entry is on disk. */
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
      // The next one is written again: without a row before it, a repetition would be answered with nothing on disk.
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
