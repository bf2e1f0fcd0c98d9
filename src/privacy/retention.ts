// The retention periods and response deadlines that data protection law sets. All are measured by the database's clock: what is removed
// too early cannot be brought back.

import { NAMES_KEPT_MS } from '../domain/lookup-life.ts';
import type { DatabaseTime } from '../platform/database/database-time.ts';

const RETENTION_YEARS = 6;
const DAY_MS = 24 * 60 * 60_000;
const ANSWER_MS = 30 * DAY_MS;
const PAYLOADS_KEPT_MS = 90 * DAY_MS;
const WORK_KEPT_MS = 90 * DAY_MS;

/** Returns when the remaining data of an account is erased that is closed now: six calendar years later, in UTC. */
export const hardDeletionDueAt = (now: DatabaseTime): DatabaseTime => now.plusYears(RETENTION_YEARS);

/** Returns the moment thirty days of 24 hours after a data subject's request, by which it must be answered. */
export const dataRequestDueAt = (now: DatabaseTime): DatabaseTime => now.plus(ANSWER_MS);

/** Returns the moment by which a callback must have been processed for its payload to be removed now. */
export const payloadsRemovedUpTo = (now: DatabaseTime): DatabaseTime => now.plus(-PAYLOADS_KEPT_MS);

/**
 * Returns the beginning of the earliest day whose payloads are not removed now, in UTC. Every callback that was received and processed
 * on a day before was processed long enough ago.
 */
export const payloadsRemovedBefore = (now: DatabaseTime): DatabaseTime =>
  payloadsRemovedUpTo(now).startOfDay();

/** Returns the moment before which an unused look-up or code, or a check of a name, must have been made to be removed now. */
export const dayOldRowsRemovedUpTo = (now: DatabaseTime): DatabaseTime => now.plus(-NAMES_KEPT_MS);

/** Returns the moment by which an effect must have finished, or an idempotency key must have been saved, to be removed now. */
export const workRemovedUpTo = (now: DatabaseTime): DatabaseTime => now.plus(-WORK_KEPT_MS);

/** Returns the moment by which a callback must have been processed for its whole row to be removed now. */
export const callbacksRemovedUpTo = (now: DatabaseTime): DatabaseTime => now.plusYears(-RETENTION_YEARS);
