// Invalidates the cached balance whenever money is known to have moved, so that no user sees or spends an outdated balance.
import type { Db } from '../platform/database/orm.ts';
import { invalidateKeptBalance, invalidateKeptBalanceByDeposit } from '../platform/sql/users.ts';

/** Invalidates every balance that any process has read before now. */
export async function invalidateBalance(tx: Db, userId: string): Promise<void> {
  await invalidateKeptBalance(tx, { userId });
}

/**
 * Invalidates every balance that any process has read before now, because of a deposit. The deposit is added to the last balance,
 * which is no longer shown: the next read is compared with it.
 */
export async function invalidateByDeposit(tx: Db, userId: string, amountMinor: number): Promise<void> {
  await invalidateKeptBalanceByDeposit(tx, { userId, amountMinor });
}
