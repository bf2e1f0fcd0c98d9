// Checks whether a user still has a payment in progress or a balance at the provider. Such a user must not be erased yet.

import type { Db } from '../platform/database/orm.ts';
import { sumResidue } from '../platform/sql/pix-payments.ts';
import { listAccounts } from '../platform/sql/provider-accounts.ts';
import { findUnresolvedTransaction } from '../platform/sql/transactions.ts';
import type { Provider } from '../provider/port.ts';

/** Whether the user has unfinished payments or withdrawals. Failed payouts that were never retried also count. */
export async function isMoneyUnderWay(db: Db, userId: string): Promise<boolean> {
  return (await findUnresolvedTransaction(db, { userId })) !== undefined;
}

/**
 * Whether any of the user's accounts at the provider has a balance. USDC left over by conversions does not count.
 * @throws OutcomeUnknown if a balance cannot be read. A 404 also counts as that: with a wrong company id the provider would answer
 *   404 for every account.
 */
export async function holdsMoney(
  { db, provider }: { db: Db; provider: Provider },
  userId: string,
): Promise<boolean> {
  const accounts = await listAccounts(db, { userId });
  const residueMinor = await residueOf(db, userId);
  for (const { currency, providerAccountId: ref } of accounts) {
    if (ref === null) continue;
    const { balanceMinor } = await provider.getAccount(ref);
    if (balanceMinor > (currency === 'USDC' ? residueMinor : 0)) return true;
  }
  return false;
}

/** The USDC that the user's conversions left over, in minor units. It is the service's margin and does not belong to the user. */
const residueOf = async (db: Db, userId: string): Promise<number> =>
  (await sumResidue(db, { userId }))?.residueMinor ?? 0;
