// Defines the retention periods and response deadlines that data protection law sets.

const retentionYears = 6;
const answerDays = 30;
const payloadDays = 90;
const workDays = 90;
const dayMs = 24 * 60 * 60 * 1000;

/**
 * Returns the same moment six calendar years later, in UTC. 29 February becomes 28 February, because the sixth year after a
 * leap year is never a leap year.
 */
export const hardDeletionDueAt = (closedAt: Date): Date => yearsFrom(closedAt, retentionYears);

/** Returns the moment thirty days of 24 hours after `receivedAt`. */
export function dataRequestDueAt(receivedAt: Date): Date {
  return new Date(receivedAt.getTime() + answerDays * dayMs);
}

/** Returns the moment by which a callback must have been processed for its payload to be removed at `now`. */
export function payloadsRemovedUpTo(now: Date): Date {
  return new Date(now.getTime() - payloadDays * dayMs);
}

/**
 * Returns the beginning of the earliest day whose payloads are not removed at `now`, in UTC. Every callback that was received and
 * processed on a day before was processed long enough ago.
 */
export function payloadsRemovedBefore(now: Date): Date {
  const day = payloadsRemovedUpTo(now);
  day.setUTCHours(0, 0, 0, 0);
  return day;
}

/** Returns the moment by which an effect must have finished, or an idempotency key must have been saved, to be removed at `now`. */
export function workRemovedUpTo(now: Date): Date {
  return new Date(now.getTime() - workDays * dayMs);
}

/** Returns the moment by which a callback must have been processed for its whole row to be removed at `now`. */
export const callbacksRemovedUpTo = (now: Date): Date => yearsFrom(now, -retentionYears);

function yearsFrom(moment: Date, years: number): Date {
  const moved = new Date(moment);
  moved.setUTCFullYear(moved.getUTCFullYear() + years);
  if (moved.getUTCMonth() !== moment.getUTCMonth()) moved.setUTCDate(0);
  return moved;
}
