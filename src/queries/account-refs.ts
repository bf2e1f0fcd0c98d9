// The provider's ids of a user's accounts.
import type { Db } from '../database/orm.ts';
import type { Currency } from '../domain/currency.ts';

export type AccountRefs = {
  /** @throws when the user has no such account there: callers have checked that it is active. */
  of: (currency: Currency) => string;
  find: (currency: Currency) => string | null;
};

export async function accountRefs(db: Db, userId: string): Promise<AccountRefs> {
  const accounts = await db
    .selectFrom('provider_accounts')
    .select(['currency', 'provider_account_id'])
    .where('user_id', '=', userId)
    .execute();
  const find: AccountRefs['find'] = (currency) =>
    accounts.find((account) => account.currency === currency)?.provider_account_id ?? null;
  return {
    of: (currency) => {
      const ref = find(currency);
      if (ref === null) throw new Error(`no ${currency} account at the provider`);
      return ref;
    },
    find,
  };
}
