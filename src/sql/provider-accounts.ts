// The users' accounts at the provider.
import { type RawBuilder, sql } from 'kysely';
import { prepared } from '../database/prepared.ts';
import type { Currency } from '../domain/currency.ts';

export const listAccounts = prepared.all((db, { userId }: { userId: string }) =>
  db.selectFrom('ProviderAccount').selectAll().where('userId', '=', userId),
);

/** The provider's ids of a user's accounts by currency; null when the user has no account. */
export type RefsByCurrency = Partial<Record<Currency, string | null>> | null;

/** A column of a statement that reads another row of the user. @param userId a value, or a reference to a column. */
export const refsByCurrency = (userId: string | RawBuilder<unknown>): RawBuilder<RefsByCurrency> =>
  sql<RefsByCurrency>`(
    select jsonb_object_agg(currency, provider_account_id) from provider_accounts where user_id = ${userId}
  )`;

export const findAccountRefs = prepared.first(
  (_db, { userId }: { userId: string }) =>
    sql<{ refs: RefsByCurrency }>`select ${refsByCurrency(userId)} as refs`,
);

/** Finds the currency of an account that is to be opened, and its owner at the provider. */
export const findAccountToOpen = prepared.first((db, { id, userId }: { id: string; userId: string }) =>
  db
    .selectFrom('ProviderAccount as account')
    .innerJoin('ProviderResource as owner', (join) =>
      join.onRef('owner.userId', '=', 'account.userId').on('owner.kind', '=', 'owner'),
    )
    .select(['account.currency', 'owner.providerRef as ownerRef'])
    .where('account.id', '=', id)
    .where('account.userId', '=', userId),
);
