// Writes several rows without waiting for those that another database transaction has locked.
import type { Kysely, Transaction } from 'kysely';
import { inDbTransaction, isLockRefused } from './db-transaction.ts';

/** How long a statement for several rows waits for one that is locked, for example by an operator's command. */
const LOCK_WITHIN_MS = 150;

/** `together`: one statement writes all rows. `each`: one statement for each row skips it if it is locked. */
export type Writing = 'together' | 'each';

/**
 * Runs a database transaction that writes rows together. If one of them is locked, it runs again and writes each. On several servers a
 * statement cannot skip locked rows of all of them, but a statement that names one row can.
 */
export async function skippingLocked<Tables, Result>(
  db: Kysely<Tables>,
  write: (tx: Transaction<Tables>, writing: Writing) => Promise<Result>,
): Promise<Result> {
  try {
    return await inDbTransaction(db, (tx) => write(tx, 'together'), { lockMs: LOCK_WITHIN_MS });
  } catch (error) {
    if (!isLockRefused(error)) throw error;
    return inDbTransaction(db, (tx) => write(tx, 'each'), { lockMs: LOCK_WITHIN_MS });
  }
}

/** Writes each row by its own statement, sent together. @returns how many were written. */
export const countEach = async <Row>(rows: Row[], write: (row: Row) => Promise<number>): Promise<number> => {
  const counts = await Promise.all(rows.map(write));
  return counts.reduce((sum, count) => sum + count, 0);
};
