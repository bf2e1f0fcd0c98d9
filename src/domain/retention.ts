// The two deadlines data protection sets: when a closed account is erased, and when a request is answered.

const retentionYears = 6;
const answerDays = 30;
const dayMs = 24 * 60 * 60 * 1000;

/**
 * @returns the same moment six calendar years later, in UTC. The sixth year after a leap year is never one
 * itself: 29 February becomes the 28th
 */
export function hardDeletionDueAt(closedAt: Date): Date {
  const due = new Date(closedAt);
  due.setUTCFullYear(due.getUTCFullYear() + retentionYears);
  if (due.getUTCMonth() !== closedAt.getUTCMonth()) due.setUTCDate(0);
  return due;
}

/** @returns thirty days of 24 hours after `receivedAt` */
export function dataRequestDueAt(receivedAt: Date): Date {
  return new Date(receivedAt.getTime() + answerDays * dayMs);
}
