// The customer's transactions: what apps list and poll.
import { type Selectable, sql } from 'kysely';
import type { Transaction } from '../../openapi/generated/openapi.ts';
import type { PageRequest } from '../api/paging.ts';
import type { Db } from '../database/orm.ts';
import { type FailureCode, failureReasons } from '../domain/failure-reasons.ts';
import type { Tables } from '../entities/index.ts';
import { after } from './after.ts';

const columns = [
  'id',
  'type',
  'status',
  'source_currency',
  'source_amount_minor',
  'dest_currency',
  'dest_amount_minor',
  'fx_rate',
  'provider',
  'failure',
  'created_at',
  'completed_at',
  sql<string | null>`(select id from pix_payments where transaction_id = transactions.id)`.as(
    'pix_payment_id',
  ),
] as const;

export type TransactionRow = Pick<
  Selectable<Tables['transactions']>,
  Extract<(typeof columns)[number], string>
> & { pix_payment_id: string | null };

export function findTransaction(db: Db, userId: string, id: string): Promise<TransactionRow | undefined> {
  return db
    .selectFrom('transactions')
    .select(columns)
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export function listTransactions(db: Db, userId: string, request: PageRequest): Promise<TransactionRow[]> {
  return db
    .selectFrom('transactions')
    .select(columns)
    .where('user_id', '=', userId)
    .where(after('transactions', request))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(request.limit + 1)
    .execute();
}

export const transactionFrom = (row: TransactionRow): Transaction => ({
  id: row.id,
  type: row.type,
  status: row.status,
  sourceCurrency: row.source_currency,
  sourceAmount: row.source_amount_minor,
  destCurrency: row.dest_currency,
  destAmount: row.dest_amount_minor,
  fxRate: row.fx_rate === null ? null : Number(row.fx_rate),
  provider: row.provider,
  failureReason: sentenceOf(row.failure),
  failureCode: row.failure,
  pixPaymentId: row.pix_payment_id,
  createdAt: row.created_at.toISOString(),
  completedAt: row.completed_at?.toISOString() ?? null,
});

/** The sentence for users that a stored failure code stands for. */
export const sentenceOf = (code: FailureCode | null): string | null =>
  code === null ? null : failureReasons[code];
