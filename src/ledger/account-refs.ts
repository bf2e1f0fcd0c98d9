// Reads the provider's ids of a user's accounts.

import type { Currency } from '../domain/currency.ts';
import type { Db } from '../tables/orm.ts';
import { findAccountRefs, type RefsByCurrency } from '../tables/provider-accounts/statements.ts';

export type AccountRefs = {
  /**
   * Returns the provider's id of an account. Callers have checked that it is active.
   * @throws Error if the user has no such account there.
   */
  of: (currency: Currency) => string;
  find: (currency: Currency) => string | null;
};

export async function accountRefs(db: Db, userId: string): Promise<AccountRefs> {
  const found = await findAccountRefs(db, { userId });
  return accountRefsIn(found?.refs ?? null);
}

export function accountRefsIn(refs: RefsByCurrency): AccountRefs {
  const find: AccountRefs['find'] = (currency) => refs?.[currency] ?? null;
  return {
    of: (currency) => {
      const ref = find(currency);
      if (ref === null) throw new Error(`no ${currency} account at the provider`);
      return ref;
    },
    find,
  };
}
