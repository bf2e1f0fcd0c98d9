// The delays between the polls of a resource that is not final: ten seconds at first, then longer, up to an hour. polling.ts decides
// when polling ends.

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const delaysMs = [10 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR];

/** Returns when a resource is polled next. `pollCount` is the number of polls so far. */
export const scheduledPollAt = (pollCount: number, now: Date): Date =>
  new Date(now.getTime() + (delaysMs[pollCount] ?? HOUR));
