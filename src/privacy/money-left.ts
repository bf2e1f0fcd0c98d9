// Whether a person's money is still in progress here, or still at the provider: then they must not be erased yet.
import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';
import { sumResidue } from '../sql/pix-payments.ts';
import { listAccounts } from '../sql/provider-accounts.ts';
import { findUnresolvedTransaction } from '../sql/transactions.ts';

/** Unfinished payments and withdrawals, among them payouts that failed and were never retried. */
export async function isMoneyUnderWay(db: Db, userId: string): Promise<boolean> {
  return (await findUnresolvedTransaction(db, { userId })) !== undefined;
}

/**
 * Reads the balance of each of the person's accounts from the provider.
 * @throws OutcomeUnknown when one of them cannot be read, also when the provider reports that there is no such account:
 *   it would report the same of every account if our company id were wrong.
 */
export async function holdsMoney({ db, provider }: App, userId: string): Promise<boolean> {
  const accounts = await listAccounts(db, { userId });
  const residueMinor = await residueOf(db, userId);
  for (const { currency, providerAccountId: ref } of accounts) {
    if (ref === null) continue;
    const { balanceMinor } = await provider.getAccount(ref);
    if (balanceMinor > (currency === 'USDC' ? residueMinor : 0)) return true;
  }
  return false;
}

/** The USDC that conversions left over, in minor units, is the service's margin: it is not the person's. */
const residueOf = async (db: Db, userId: string): Promise<number> =>
  (await sumResidue(db, { userId }))?.residueMinor ?? 0;
