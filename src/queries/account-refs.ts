// The provider's ids of a user's accounts.
import { sql } from 'kysely';
import type { Db } from '../database/orm.ts';
import type { Currency } from '../domain/currency.ts';
import { type RefsByCurrency, refsByCurrency } from '../sql/provider-accounts.ts';

export { refsByCurrency } from '../sql/provider-accounts.ts';

export type AccountRefs = {
  /** @throws when the user has no such account there: callers have checked that it is active. */
  of: (currency: Currency) => string;
  find: (currency: Currency) => string | null;
};

export async function accountRefs(db: Db, userId: string): Promise<AccountRefs> {
  const { rows } = await sql<{ refs: RefsByCurrency }>`select ${refsByCurrency(userId)} as refs`.execute(db);
  return accountRefsIn(rows[0]?.refs ?? null);
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
