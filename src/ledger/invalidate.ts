// Invalidates the cached balance whenever money is known to have moved, so that no user sees or spends an outdated balance.
import type { Db } from '../tables/orm.ts';
import { forgetKeptBalance, invalidateKeptBalance } from '../tables/users/statements.ts';

/** Invalidates every balance that any process has read before now. */
export async function invalidateBalance(tx: Db, userId: string): Promise<void> {
  await invalidateKeptBalance(tx, { userId });
}

/**
 * Invalidates every balance that any process has read before now, because of a deposit, and forgets the last one. That balance may have
 * counted the deposit already, so it says nothing about the next one. The next read of the balance causes a scan of the movements.
 */
export async function forgetBalance(tx: Db, userId: string): Promise<void> {
  await forgetKeptBalance(tx, { userId });
}
