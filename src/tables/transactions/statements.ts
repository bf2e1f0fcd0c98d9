// The customer's transactions: deposits, payments and withdrawals.

import { sql } from 'kysely';
import { asProperties, pick } from '../../platform/database/prepared.ts';
import type { Db } from '../orm.ts';
import {
  type FilteredPageStart,
  isAfter,
  isAmong,
  isBetween,
  isLastReadable,
  matchesOrIsLast,
  type PageStart,
  type ReadRow,
  readRow,
} from '../paging.ts';
import { restoredIfUnsettled } from '../pix-payments/statements.ts';
import { equals, everyProperty, prepared } from '../prepared.ts';
import { type Entity } from '../rows.ts';
import { callerClosedAt } from '../users/statements.ts';

type Transaction = Entity<'Transaction'>;

export const insertTransaction = prepared.count((db, transaction: Transaction) =>
  db.insertInto('Transaction').values(everyProperty('Transaction', transaction)),
);

/** Updates the transaction of a payment or withdrawal. @param params a `completedAt` of null leaves the time unchanged. */
export const updateTransaction = prepared.count(
  (db, params: Pick<Transaction, 'id' | 'userId' | 'status' | 'failure' | 'completedAt'>) =>
    db
      .updateTable('Transaction')
      .set(pick(params, 'status', 'failure'))
      .set({ completedAt: sql`coalesce(${params.completedAt}, completed_at)` })
      .where(equals(pick(params, 'id', 'userId'))),
);

/** A transaction with its PIX payment or its withdrawal, if it has one. Only filters say whether it matches. */
export type ShownTransaction = Awaited<ReturnType<typeof listTransactions>>[number] & Partial<ReadRow>;

/** The properties of a payment that its transaction shows under the same names. */
const ofPayment = [
  'homeDebitMinor',
  'returnedBrlMinor',
  'settledAt',
  'pixKeyType',
  'pixKeySealed',
  'recipientNameSealed',
] as const;

const every = (db: Db) => db.selectFrom('Transaction as transaction');

/**
 * Selects transactions with their payment or withdrawal. `limit 1` makes PostgreSQL look these up by the transaction's id. In a
 * plain join it may read all payments of the user for one page, because they have an index by user.
 */
const customersView = (db: Db, userId: string, rows = every(db)) =>
  rows
    .leftJoinLateral(
      (from) =>
        from
          .selectFrom('PixPayment as payment')
          .select(['payment.id', 'payment.userId', 'payment.state', ...ofPayment])
          .select(restoredIfUnsettled(userId).as('restoredMinor'))
          .where('payment.userId', '=', userId)
          .whereRef('payment.transactionId', '=', 'transaction.id')
          .limit(sql.lit(1))
          .as('payment'),
      (join) => join.onRef('payment.userId', '=', 'transaction.userId'),
    )
    .leftJoinLateral(
      (from) =>
        from
          .selectFrom('Withdraw as withdraw')
          .select(['withdraw.userId', 'withdraw.destinationSealed'])
          .where('withdraw.userId', '=', userId)
          .whereRef('withdraw.id', '=', 'transaction.id')
          .limit(sql.lit(1))
          .as('withdraw'),
      (join) => join.onRef('withdraw.userId', '=', 'transaction.userId'),
    )
    .select(
      asProperties(
        'transaction',
        'id',
        'type',
        'status',
        'sourceCurrency',
        'sourceAmountMinor',
        'destCurrency',
        'destAmountMinor',
        'fxRate',
        'provider',
        'failure',
        'sourceReferenceSealed',
        'createdAt',
        'completedAt',
      ),
    )
    .select(['payment.id as pixPaymentId', 'payment.state as paymentState'])
    .select(asProperties('payment', ...ofPayment))
    .select('payment.restoredMinor')
    .select('withdraw.destinationSealed as destinationSealed');

export const findTransaction = prepared.first((db, { userId, id }: { userId: string; id: string }) =>
  customersView(db, userId)
    .select(callerClosedAt(userId))
    .where(equals({ 'transaction.userId': userId, 'transaction.id': id })),
);

export const listTransactions = prepared.all((db, params: PageStart & { userId: string }) =>
  customersView(db, params.userId)
    .select(callerClosedAt(params.userId))
    .where('transaction.userId', '=', params.userId)
    .where(isAfter('transaction', params))
    .orderBy('transaction.createdAt', 'desc')
    .orderBy('transaction.id', 'desc')
    .limit(params.rows),
);

/** Null excludes no row. */
type TransactionFilters = {
  types: Transaction['type'][] | null;
  statuses: Transaction['status'][] | null;
  minAmountMinor: number | null;
  maxAmountMinor: number | null;
};

/**
 * Lists transactions that match filters. It reads no more than the next `readable` rows of the list, also if none of them matches. The
 * last row that may be read is listed as well, because the next page continues after it.
 */
export const listMatchingTransactions = prepared.all(
  (db, params: FilteredPageStart & TransactionFilters & { userId: string }) => {
    const matches = sql<boolean>`${isAmong('one.type', params.types)}
      and ${isAmong('one.status', params.statuses)}
      and ${isBetween('one.source_amount_minor', params.minAmountMinor, params.maxAmountMinor)}`;
    const read = db
      .selectFrom('Transaction as one')
      .selectAll()
      .select([matches.as('matches'), isLastReadable('one', params).as('isLast')])
      .where('one.userId', '=', params.userId)
      .where(isAfter('one', params))
      .where('one.createdAt', '>=', sql<Date>`${params.from}::timestamptz`)
      .orderBy('one.createdAt', 'desc')
      .orderBy('one.id', 'desc')
      .limit(params.readable);
    return customersView(db, params.userId, db.selectFrom(read.as('transaction')))
      .select(readRow('transaction'))
      .select(callerClosedAt(params.userId))
      .where(matchesOrIsLast('transaction'))
      .orderBy('transaction.createdAt', 'desc')
      .orderBy('transaction.id', 'desc')
      .limit(params.rows);
  },
);

/** Inserts nothing if the provider's movement is recorded already. */
export const insertDeposit = prepared.count((db, deposit: Transaction) =>
  db
    .insertInto('Transaction')
    .values(everyProperty('Transaction', deposit))
    .onConflict((conflict) => conflict.columns(['provider', 'providerRef', 'userId']).doNothing()),
);

/** Finds the deposit of a provider's movement, if it is this user's. */
export const findDeposit = prepared.first(
  (db, deposit: { userId: string; provider: string; providerRef: string }) =>
    db
      .selectFrom('Transaction')
      .select('id')
      .where(equals(pick(deposit, 'userId', 'provider', 'providerRef'))),
);

/** Finds the deposit of a provider's movement, whoever has it. */
export const findTransactionOfMovement = prepared.first(
  (db, { provider, providerRef }: { provider: string; providerRef: string }) =>
    db.selectFrom('Transaction').select('id').where(equals({ provider, providerRef })).limit(1),
);

/** Finds the transaction of the payment or withdrawal for which an object of the provider was created. */
export const findTransactionOfResource = prepared.first(
  (_db, { providerRef }: { providerRef: string }) => sql<{ id: string | null }>`
    select coalesce(payment.transaction_id, withdraw.id) as id
    from provider_resources resource
    left join pix_payments payment on payment.id = resource.subject_id and payment.user_id = resource.user_id
    left join withdraws withdraw on withdraw.id = resource.subject_id and withdraw.user_id = resource.user_id
    where resource.provider_ref = ${providerRef}
    limit 1`,
);

/** Lists those of the provider's movements that are recorded as deposits. */
export const listRecordedMovements = prepared.all(
  (db, { provider, providerRefs }: { provider: string; providerRefs: string[] }) =>
    db
      .selectFrom('Transaction')
      .select('providerRef')
      .where(equals({ provider, providerRef: sql<string>`any(${providerRefs}::uuid[])` })),
);

/** Finds an unfinished payment or withdrawal of the user, or a payout that failed and was never retried. */
export const findUnresolvedTransaction = prepared.first(
  (_db, { userId }: { userId: string }) => sql<{ id: string }>`
    select id from transactions where user_id = ${userId} and status in ('pending', 'settling') limit 1`,
);

/**
 * Lists the users of those ids that a transaction, a payment, a quote, a look-up, a code, a check of a name or a recipient has. A
 * withdrawal has its transaction's id.
 */
export const listOwners = prepared.all(
  (_db, { ids }: { ids: string[] }) => sql<{ id: string; owner: string }>`
    select id, user_id as owner from transactions where id = any(${ids}::uuid[])
    union all select id, user_id from pix_payments where id = any(${ids}::uuid[])
    union all select id, user_id from pix_quotes where id = any(${ids}::uuid[])
    union all select id, user_id from pix_lookups where id = any(${ids}::uuid[])
    union all select id, user_id from name_checks where id = any(${ids}::uuid[])
    union all select id, user_id from pix_codes where id = any(${ids}::uuid[])
    union all select id, user_id from pix_recipients where id = any(${ids}::uuid[])`,
);
