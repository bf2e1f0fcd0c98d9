// The kept balance is invalidated by every known movement of money, so that no user is shown, or pays from, an old one.
import type { Db } from '../database/orm.ts';
import { invalidateKeptBalance, invalidateKeptBalanceByDeposit } from '../sql/users.ts';

/** Invalidates every balance read before now, in this process and in every other. */
export async function invalidateBalance(tx: Db, userId: string): Promise<void> {
  await invalidateKeptBalance(tx, { userId });
}

/** The same for a deposit. It is added to the last balance, which is not shown any more: the next read is compared with it. */
export async function invalidateByDeposit(tx: Db, userId: string, amountMinor: number): Promise<void> {
  await invalidateKeptBalanceByDeposit(tx, { userId, amountMinor });
}
