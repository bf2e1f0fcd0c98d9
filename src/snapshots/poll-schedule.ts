// When a resource that is not final is polled again: soon at first, then ever less often. polling.ts says when no more.

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const delaysMs = [10 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR];

/** @param pollCount how many polls there have been. */
export const scheduledPollAt = (pollCount: number, now: Date): Date =>
  new Date(now.getTime() + (delaysMs[pollCount] ?? HOUR));
