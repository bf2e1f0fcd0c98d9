// The accounts a flow needs, all of which must be active before money is promised through them.
import { Refusal } from '../api/errors.ts';
import type { Db } from '../database/orm.ts';
import type { Currency, HomeCurrency } from '../domain/currency.ts';
import { accountsOf } from './wallet.ts';

/**
 * @returns the provider's id of the home account.
 * @throws Refusal `account_not_active` when one that the flow needs is missing or not active yet.
 */
export async function activeAccounts(
  db: Db,
  userId: string,
  { flow, source_currency: home }: { flow: 'direct' | 'two_hop'; source_currency: HomeCurrency },
): Promise<string> {
  return activeAccount(db, userId, [home, 'BRL', ...(flow === 'two_hop' ? ['USDC' as const] : [])]);
}

/** @returns the provider's id of the first account named; all must be active. */
export async function activeAccount(
  db: Db,
  userId: string,
  needed: [Currency, ...Currency[]],
): Promise<string> {
  const active = (await accountsOf(db, userId)).filter(({ state }) => state === 'active');
  const refs = needed.map(
    (currency) => active.find((account) => account.currency === currency)?.providerAccountId,
  );
  const [home] = refs;
  if (!home || refs.some((ref) => !ref)) throw new Refusal('account_not_active');
  return home;
}
