// When to look again at a resource that has not come to its end: soon at first, then ever less often, never giving up.

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const delaysMs = [10 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR];

/** @param checks how many looks there have been. */
export const scheduledPollAt = (checks: number, now: Date): Date =>
  new Date(now.getTime() + (delaysMs[checks] ?? HOUR));
