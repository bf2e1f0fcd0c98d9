// Group commit: decisions that arrive while a commit is in flight wait for it and share the next one
// (docs/decisions/0008-group-commit.md). A group has at most one decision per user, because two decisions of one user must not both
// see the same free balance. If a decision of a group fails, or waits for a row that another transaction has locked, the group is
// rolled back and each decision runs alone.
import type { Kysely } from 'kysely';
import { settledWithin } from '../concurrency/settled-within.ts';
import {
  CommitUnanswered,
  decideTogether,
  inDbTransaction,
  isLockRefused,
  isToRunAgain,
  type RepeatableDecision,
  TakenBack,
} from './db-transaction.ts';

/** How long a group waits for a locked row. It is the most that one decision delays the others in its group. */
const LOCK_WITHIN_MS = 150;
/** The next group starts after this time even if the one before it has not ended. */
const NEXT_AFTER_MS = 200;

export type GroupCommit<Tables> = <Result>(
  userId: string,
  decide: RepeatableDecision<Tables, Result>,
) => Promise<Result>;

/**
 * Returns a function that runs a decision in a transaction that it may share with decisions about other users. The decision may run
 * again, alone: after its group was rolled back, or if its commit was not answered. So it must first lock the rows that it decides
 * about. The lock waits until the unanswered commit has ended, and then the decision finds what it has already decided.
 * @param maxTogether how many decisions may share a commit. With 1, no decision waits for another.
 */
export function createGroupCommit<Tables>(db: Kysely<Tables>, maxTogether: number): GroupCommit<Tables> {
  type QueuedDecision = {
    userId: string;
    decide: RepeatableDecision<Tables, unknown>;
    resolve: (result: unknown) => void;
    reject: (error: unknown) => void;
  };
  let waiting: QueuedDecision[] = [];
  let isCommitting = false;

  const takeGroup = (): QueuedDecision[] => {
    const users = new Set<string>();
    const group: QueuedDecision[] = [];
    const remaining: QueuedDecision[] = [];
    for (const one of waiting) {
      const isTaken = group.length < maxTogether && !users.has(one.userId);
      users.add(one.userId);
      (isTaken ? group : remaining).push(one);
    }
    waiting = remaining;
    // Every process uses the same order, so groups that lock rows of the same users wait for one another without a deadlock.
    return group.toSorted((a, b) => (a.userId < b.userId ? -1 : 1));
  };

  const alone = async (one: QueuedDecision, isFirstTry = true): Promise<void> => {
    try {
      one.resolve(await inDbTransaction(db, one.decide));
    } catch (error) {
      if (error instanceof CommitUnanswered && isFirstTry) await alone(one, false);
      else one.reject(error);
    }
  };

  const together = async (group: QueuedDecision[]): Promise<void> => {
    // A decision that is alone may wait for a lock for the full time, because later groups do not wait for it.
    const isShared = group.length > 1;
    try {
      const results = await decideTogether(
        db,
        group.map(({ decide }) => decide),
        isShared ? { lockMs: LOCK_WITHIN_MS } : {},
      );
      results.forEach((result, nth) => {
        const one = group[nth] as QueuedDecision;
        if (result.status === 'fulfilled') one.resolve(result.value);
        else if (isToRunAlone(result.reason, isShared)) void alone(one);
        else one.reject(result.reason);
      });
    } catch (error) {
      if (error instanceof TakenBack || error instanceof CommitUnanswered)
        for (const one of group) void alone(one, error instanceof TakenBack);
      else for (const { reject } of group) reject(error);
    }
  };

  const commitAll = async (): Promise<void> => {
    isCommitting = true;
    while (waiting.length > 0) {
      await settledWithin(NEXT_AFTER_MS, together(takeGroup()));
    }
    isCommitting = false;
  };

  return <Result>(userId: string, decide: RepeatableDecision<Tables, Result>) =>
    new Promise<Result>((resolve, reject) => {
      const one = { userId, decide, resolve: (result: unknown) => resolve(result as Result), reject };
      if (maxTogether === 1) void alone(one);
      else if (waiting.push(one) && !isCommitting) void commitAll();
    });
}

/**
 * Returns whether a decision runs again alone. A lock that a group did not get in its short time may be free
 * for a decision that waits longer.
 */
const isToRunAlone = (error: unknown, isShared: boolean): boolean =>
  isToRunAgain(error) || (isShared && isLockRefused(error));
