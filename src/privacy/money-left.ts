// Checks whether a user still has a payment in progress or a balance at the provider. Such a user must not be erased yet.

import type { Currency } from '../domain/currency.ts';
import type { Db } from '../platform/database/orm.ts';
import { findUnsettledReview, sumResidues } from '../platform/sql/pix-payments.ts';
import { listAccounts } from '../platform/sql/provider-accounts.ts';
import { findUnresolvedTransaction } from '../platform/sql/transactions.ts';
import type { Provider } from '../provider/port.ts';

/** Whether the user has unfinished payments or withdrawals. Failed payouts that were never retried also count. */
export async function isMoneyUnderWay(db: Db, userId: string): Promise<boolean> {
  return (await findUnresolvedTransaction(db, { userId })) !== undefined;
}

/** Whether the user has unfinished payments or withdrawals, or a payment in `manual_review` without a settlement. */
export const isMoneyUnsettled = async (db: Db, userId: string): Promise<boolean> =>
  (await isMoneyUnderWay(db, userId)) || (await findUnsettledReview(db, { userId })) !== undefined;

/**
 * Whether any of the user's accounts at the provider has a balance. USDC and BRL left over by conversions do not count.
 * @throws OutcomeUnknown if a balance cannot be read. A 404 also counts as that: with a wrong company id the provider would answer
 *   404 for every account.
 */
export async function holdsMoney(
  { db, provider }: { db: Db; provider: Provider },
  userId: string,
): Promise<boolean> {
  const accounts = await listAccounts(db, { userId });
  const residues = await residuesOf(db, userId);
  for (const { currency, providerAccountId: ref } of accounts) {
    if (ref === null) continue;
    const { balanceMinor } = await provider.getAccount(ref);
    if (balanceMinor > (residues[currency] ?? 0)) return true;
  }
  return false;
}

/** Returns the residues of the user's conversions, in minor units. They are the service's margin and do not belong to the user. */
async function residuesOf(db: Db, userId: string): Promise<Partial<Record<Currency, number>>> {
  const sums = await sumResidues(db, { userId });
  return { USDC: sums?.usdcMinor ?? 0, BRL: sums?.brlMinor ?? 0 };
}
