// The users, with the balance that is kept for a few seconds.

import { sql } from 'kysely';
import type { DatabaseTime } from '../../platform/database/database-time.ts';
import { equals, everyProperty, prepared } from '../prepared.ts';
import { type Entity } from '../rows.ts';

type User = Entity<'User'>;

/** The properties of a user's row without the kept balance. A request is authenticated with them, so a balance cannot make it fail. */
const withoutBalance = [
  'id',
  'authProvider',
  'authSubject',
  'emailSealed',
  'displayName',
  'homeCurrency',
  'balanceVersion',
  'closedAt',
  'hardDeletionDueAt',
  'createdAt',
] as const satisfies (keyof User)[];

/** A user's row without the kept balance. */
export type KnownUser = Pick<User, (typeof withoutBalance)[number]>;

export const findUser = prepared.first((db, { userId }: { userId: string }) =>
  db.selectFrom('User').select(withoutBalance).where('id', '=', userId),
);

/** The part of a user's row that shows whether a session is still valid. */
export type Caller = Pick<User, 'id' | 'closedAt'>;

export const findCaller = prepared.first((db, { userId }: { userId: string }) =>
  db.selectFrom('User').select(['id', 'closedAt']).where('id', '=', userId),
);

/** Selects the time at which the caller closed the account. Use it in a statement that reads the caller's own rows. */
export const callerClosedAt = (userId: string) =>
  sql<Date | null>`(select closed_at from users where id = ${userId})`.as('callerClosedAt');

/** Locks the row for the rest of the database transaction. Each decision about a user's money begins with it. */
export const lockUserRow = prepared.first((db, { userId }: { userId: string }) =>
  db.selectFrom('User').select(withoutBalance).where('id', '=', userId).forNoKeyUpdate(),
);

export const insertUser = prepared.count((db, user: User) =>
  db.insertInto('User').values(everyProperty('User', user)),
);

export const updateProfile = prepared.first(
  (db, { id, homeCurrency, displayName }: Pick<User, 'id' | 'homeCurrency' | 'displayName'>) =>
    db.updateTable('User').set({ homeCurrency, displayName }).where('id', '=', id).returning(withoutBalance),
);

/** Sets the e-mail address unless the user has one or has closed the account. */
export const setFirstEmail = prepared.first(
  (db, params: { userId: string; emailSealed: Uint8Array; emailHash: Uint8Array | null }) =>
    db
      .updateTable('User')
      .set({ emailSealed: params.emailSealed, emailHash: params.emailHash })
      .where(equals({ id: params.userId, emailSealed: null, closedAt: null }))
      .returningAll(),
);

export const findBalanceVersion = prepared.first((db, { userId }: { userId: string }) =>
  db.selectFrom('User').select('balanceVersion').where('id', '=', userId),
);

/** Keeps a balance that the provider reported, unless money has moved since the row had this version. */
export const keepBalance = prepared.count(
  (db, params: { userId: string; balanceMinor: number; balanceReadAt: Date; balanceVersion: number }) =>
    db
      .updateTable('User')
      .set({ balanceMinor: params.balanceMinor, balanceReadAt: params.balanceReadAt })
      .where(equals({ id: params.userId, balanceVersion: params.balanceVersion })),
);

/** Invalidates every balance that was read before now, in this process and in every other. */
export const invalidateKeptBalance = prepared.count((db, { userId }: { userId: string }) =>
  db
    .updateTable('User')
    .set({ balanceVersion: sql<number>`balance_version + 1`, balanceReadAt: null })
    .where('id', '=', userId),
);

/** Invalidates every balance that was read before now, and forgets the last one. */
export const forgetKeptBalance = prepared.count((db, { userId }: { userId: string }) =>
  db
    .updateTable('User')
    .set({ balanceVersion: sql<number>`balance_version + 1`, balanceReadAt: null, balanceMinor: null })
    .where('id', '=', userId),
);

/** The part of a user's row that the user sees. */
export type ShownUser = Pick<User, 'id' | 'emailSealed' | 'homeCurrency' | 'displayName' | 'createdAt'>;

export type Wallet = {
  kycState: Entity<'KycVerification'>['state'] | null;
  kycLevel: Entity<'KycVerification'>['level'];
  kycCompletedAt: Date | null;
  accountId: string | null;
  accountState: Entity<'ProviderAccount'>['state'] | null;
  providerAccountId: string | null;
  depositInstructionsSealed: Buffer | null;
  depositInstructionsSealedAt: Date | null;
  /** The kept balance, or the last one that is known, in minor units of the home currency. Null after a deposit. */
  balanceMinor: number | null;
  balanceVersion: number;
  /** When the kept balance was read, by the database's clock. Null without a kept balance. */
  balanceReadAt: Date | null;
};

/**
 * Finds the user with the verification and the account in the home currency. The balance is read as a double, which is exact for every
 * balance that this version stores: earlier versions could store one that is too large to be read as a number.
 */
export const findUserWithWallet = prepared.first(
  (_db, { userId }: { userId: string }) => sql<ShownUser & Caller & Wallet>`
    select users.id, users.closed_at as "closedAt", users.email_sealed as "emailSealed", users.home_currency as "homeCurrency",
      users.display_name as "displayName", users.created_at as "createdAt",
      kyc.state as "kycState", kyc.level as "kycLevel", kyc.completed_at as "kycCompletedAt",
      account.id as "accountId", account.state as "accountState", account.provider_account_id as "providerAccountId",
      account.deposit_instructions_sealed as "depositInstructionsSealed",
      account.deposit_instructions_sealed_at as "depositInstructionsSealedAt",
      users.balance_minor::float8 as "balanceMinor", users.balance_version as "balanceVersion",
      users.balance_read_at as "balanceReadAt"
    from users
    left join kyc_verifications kyc on kyc.user_id = users.id
    left join provider_accounts account
      on account.user_id = users.id and account.currency = users.home_currency::text::currency
    where users.id = ${userId}`,
);

/** Lists a page of the users who have no verification or no home currency, in the order of their ids. */
export const listIncompleteUsers = prepared.all(
  (_db, params: { after: string; limit: number }) => sql<
    Pick<User, 'id' | 'homeCurrency'> & { kycId: string | null }
  >`
    select users.id, users.home_currency, kyc.id as "kycId"
    from users left join kyc_verifications kyc on kyc.user_id = users.id
    where users.id > ${params.after} and (kyc.id is null or users.home_currency is null)
    order by users.id limit ${params.limit}`,
);

/** Locks the row against inserts of rows that refer to it as well. */
export const lockUserForErasure = prepared.first((db, { userId }: { userId: string }) =>
  db.selectFrom('User').select('id').where('id', '=', userId).forUpdate(),
);

export const setUserClosed = prepared.count(
  (_db, params: { userId: string; closedAt: DatabaseTime; hardDeletionDueAt: DatabaseTime }) => sql`
    update users set closed_at = ${params.closedAt}, hard_deletion_due_at = ${params.hardDeletionDueAt}
    where id = ${params.userId}`,
);

/** Removes the name, the address and the kept balance, which only the app shows. */
export const clearShownProfile = prepared.count((db, { userId }: { userId: string }) =>
  db
    .updateTable('User')
    .set({ displayName: '', emailSealed: null, emailHash: null, balanceMinor: null, balanceReadAt: null })
    .where('id', '=', userId),
);

/** Finds the balance version of a closed user whose erasure is due. */
export const findVersionOfDueUser = prepared.first(
  (_db, { userId, now }: { userId: string; now: DatabaseTime }) => sql<{ balanceVersion: number }>`
    select balance_version from users
    where id = ${userId} and closed_at is not null and hard_deletion_due_at <= ${now}`,
);

/** Lists the users whose erasure is due, the longest due first. @param params the position of the last row of the page before. */
export const listDueUsers = prepared.all(
  (_db, params: { until: DatabaseTime; afterDueAt: string; afterId: string; limit: number }) => sql<{
    id: string;
    dueAt: Date;
  }>`
    select id, hard_deletion_due_at as "dueAt" from users
    where hard_deletion_due_at <= ${params.until}
      and (hard_deletion_due_at, id) > (${params.afterDueAt}::timestamptz, ${params.afterId}::uuid)
    order by hard_deletion_due_at, id
    limit ${params.limit}`,
);
