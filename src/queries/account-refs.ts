// The provider's ids of a user's accounts.
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../database/orm.ts';
import type { Currency } from '../domain/currency.ts';

export type AccountRefs = {
  /** @throws when the user has no such account there: callers have checked that it is active. */
  of: (currency: Currency) => string;
  find: (currency: Currency) => string | null;
};

/** By currency; null when the user has no account. */
export type RefsByCurrency = Partial<Record<Currency, string | null>> | null;

/** For a statement that reads another row of the user's. @param userId a value, or a reference to a column. */
export const refsByCurrency = (userId: string | RawBuilder<unknown>): RawBuilder<RefsByCurrency> =>
  sql<RefsByCurrency>`(
    select jsonb_object_agg(currency, provider_account_id) from provider_accounts where user_id = ${userId}
  )`;

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
