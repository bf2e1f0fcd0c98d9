// The users' accounts at the provider.

import { type NotNull, type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Currency } from '../../domain/currency.ts';
import { pick } from '../../platform/database/prepared.ts';
import type { Db } from '../orm.ts';
import { equals, prepared } from '../prepared.ts';
import { type Entity } from '../rows.ts';

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
    .where(equals({ 'account.id': id, 'account.userId': userId })),
);

type Account = Entity<'ProviderAccount'>;

type Key = Pick<Account, 'id' | 'userId'>;

/** Finds an account of any user by the provider's id, with the home currency of its user. */
export const findAccountByRef = prepared.first((db, { accountRef }: { accountRef: string }) =>
  db
    .selectFrom('ProviderAccount as account')
    .innerJoin('User', 'User.id', 'account.userId')
    .select(['account.id', 'account.userId', 'account.state', 'account.currency', 'User.homeCurrency'])
    .where('account.providerAccountId', '=', accountRef),
);

export const listAccountsByRef = prepared.all((db, { accountRefs }: { accountRefs: string[] }) =>
  db
    .selectFrom('ProviderAccount')
    .select(['id', 'userId', 'currency', 'state', 'providerAccountId'])
    .where('providerAccountId', '=', sql<string>`any(${accountRefs}::uuid[])`),
);

export const findAccountCurrency = prepared.first((db, { id, userId }: Key) =>
  db.selectFrom('ProviderAccount').select('currency').where(equals({ id, userId })),
);

/** The active accounts in their users' home currencies. Only they receive deposits. */
const homeAccounts = (db: Db) =>
  db
    .selectFrom('ProviderAccount as account')
    .innerJoin('User', (join) =>
      join
        .onRef('User.id', '=', 'account.userId')
        .on(sql<SqlBool>`account.currency = users.home_currency::text::currency`),
    )
    .select(['account.id', 'account.userId', 'account.providerAccountId', 'account.movementsCursor'])
    .where('account.state', '=', 'active')
    .where('account.providerAccountId', 'is not', null)
    .$narrowType<{ providerAccountId: NotNull }>();

/** Lists a page of the home accounts in the order of their ids. */
export const listHomeAccounts = prepared.all((db, { after, limit }: { after: string; limit: number }) =>
  homeAccounts(db).where('account.id', '>', after).orderBy('account.id').limit(limit),
);

/** Lists a page of the home accounts whose ids are in a range, in the order of their ids. Both ends belong to the range. */
export const listHomeAccountsOfRange = prepared.all(
  (db, { first, last, after, limit }: { first: string; last: string; after: string; limit: number }) =>
    homeAccounts(db)
      .where('account.id', '>=', first)
      .where('account.id', '<=', last)
      .where('account.id', '>', after)
      .orderBy('account.id')
      .limit(limit),
);

/** Divides the next home accounts, in the order of their ids, into ranges. */
export const listAccountRanges = prepared.all(
  (db, { after, limit, perRange }: { after: string; limit: number; perRange: number }) => {
    const next = homeAccounts(db).where('account.id', '>', after).orderBy('account.id').limit(limit);
    return sql<{ first: string; last: string; accounts: number }>`
      select (array_agg(id order by id))[1] as first, (array_agg(id order by id desc))[1] as last, count(*)::int as accounts
      from (select id, (row_number() over (order by id) - 1) / ${perRange}::int as range from (${next}) as accounts) as numbered
      group by range order by range`;
  },
);

export const countHomeAccounts = prepared.first((db, _given: object) =>
  homeAccounts(db).clearSelect().select(sql<number>`count(*)::int`.as('accounts')),
);

export const findHomeAccount = prepared.first((db, { id, userId }: Key) =>
  homeAccounts(db).where(equals({ 'account.id': id, 'account.userId': userId })),
);

/** Moves the cursor unless another process has moved it from where it was. */
export const moveMovementsCursor = prepared.count((db, params: Key & { from: string | null; to: string }) =>
  db
    .updateTable('ProviderAccount')
    .set({ movementsCursor: params.to })
    .where(equals(pick(params, 'id', 'userId')))
    .where('movementsCursor', 'is not distinct from', params.from),
);

export const setAccountRef = prepared.count(
  (db, { id, userId, providerAccountId }: Key & { providerAccountId: string }) =>
    db.updateTable('ProviderAccount').set({ providerAccountId }).where(equals({ id, userId })),
);

type DepositInstructions = Key & {
  providerAccountId: string;
  depositInstructionsSealed: Uint8Array;
  depositInstructionsSealedAt: Date;
  depositHash: Uint8Array | null;
};

/**
 * Sets the provider's id and the deposit instructions. An account may be opened after its user has closed theirs; the
 * instructions, which closing deleted, must not come back with it and are then null.
 */
export const setDepositInstructions = prepared.count((db, params: DepositInstructions) => {
  const unlessClosed = (value: Uint8Array | null) => sql<Buffer | null>`(
    select ${value}::bytea from users where id = ${params.userId}::uuid and closed_at is null
  )`;
  return db
    .updateTable('ProviderAccount')
    .set({
      providerAccountId: params.providerAccountId,
      depositInstructionsSealed: unlessClosed(params.depositInstructionsSealed),
      depositInstructionsSealedAt: params.depositInstructionsSealedAt,
      depositHash: unlessClosed(params.depositHash),
    })
    .where(equals(pick(params, 'id', 'userId')));
});

export const clearDepositInstructions = prepared.count((db, { userId }: { userId: string }) =>
  db
    .updateTable('ProviderAccount')
    .set({ depositInstructionsSealed: null, depositInstructionsSealedAt: null, depositHash: null })
    .where('userId', '=', userId),
);
