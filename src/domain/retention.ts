// Retention periods and answer deadlines that data protection law sets.

const retentionYears = 6;
const answerDays = 30;
const payloadDays = 90;
const workDays = 90;
const dayMs = 24 * 60 * 60 * 1000;

/**
 * @returns the same moment six calendar years later, in UTC. The sixth year after a leap year is never one
 * itself: 29 February becomes the 28th
 */
export const hardDeletionDueAt = (closedAt: Date): Date => yearsFrom(closedAt, retentionYears);

/** @returns thirty days of 24 hours after `receivedAt` */
export function dataRequestDueAt(receivedAt: Date): Date {
  return new Date(receivedAt.getTime() + answerDays * dayMs);
}

/** @returns the moment by which a callback must have been processed for its payload to be removed at `now` */
export function payloadsRemovedUpTo(now: Date): Date {
  return new Date(now.getTime() - payloadDays * dayMs);
}

/** @returns the moment by which an effect must have finished, or an idempotency key been saved, to be removed at `now` */
export function workRemovedUpTo(now: Date): Date {
  return new Date(now.getTime() - workDays * dayMs);
}

/** @returns the moment by which a callback must have been processed for nothing of it to be kept at `now` */
export const callbacksRemovedUpTo = (now: Date): Date => yearsFrom(now, -retentionYears);

function yearsFrom(moment: Date, years: number): Date {
  const moved = new Date(moment);
  moved.setUTCFullYear(moved.getUTCFullYear() + years);
  if (moved.getUTCMonth() !== moment.getUTCMonth()) moved.setUTCDate(0);
  return moved;
}
