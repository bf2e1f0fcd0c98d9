// The provider's ids of a user's accounts.
import type { Db } from '../database/orm.ts';
import type { Currency } from '../domain/currency.ts';

export type AccountRefs = {
  /** @throws when the user has no such account there: callers have checked that it is active. */
  of: (currency: Currency) => string;
};

export async function accountRefs(db: Db, userId: string): Promise<AccountRefs> {
  const accounts = await db
    .selectFrom('provider_accounts')
    .select(['currency', 'provider_account_id'])
    .where('user_id', '=', userId)
    .execute();
  return {
    of: (currency) => {
      const ref = accounts.find((account) => account.currency === currency)?.provider_account_id;
      if (!ref) throw new Error(`no ${currency} account at the provider`);
      return ref;
    },
  };
}
