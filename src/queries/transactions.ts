// The customer's transactions: what apps list and poll.
import { type Selectable, type ShallowDehydrateObject, sql } from 'kysely';
import type { Transaction } from '../../openapi/generated/openapi.ts';
import { type FailureCode, failureReasons } from '../domain/failure-reasons.ts';
import type { Tables } from '../entities/index.ts';
import { after } from './after.ts';
import type { KeysetPage } from './paging.ts';
import { isoTime, listOf, oneRow, type Rows } from './rows.ts';

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
] as const;

export type TransactionRow = ShallowDehydrateObject<
  Pick<Selectable<Tables['transactions']>, (typeof columns)[number]>
> & { pix_payment_id: string | null };

const shown = sql`${sql.join(columns.map((column) => sql.ref(column)))},
  (select id from pix_payments where transaction_id = transactions.id and user_id = transactions.user_id) as pix_payment_id`;

export const transactionOf = (userId: string, id: string): Rows<TransactionRow | null> =>
  oneRow(sql`select ${shown} from transactions where user_id = ${userId} and id = ${id}`);

export const transactionsOf = (userId: string, request: KeysetPage): Rows<TransactionRow[]> =>
  listOf(sql`
    select ${shown} from transactions where user_id = ${userId} and ${after('transactions', request)}
    order by created_at desc, id desc limit ${request.limit + 1}`);

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
  createdAt: isoTime(row.created_at),
  completedAt: row.completed_at && isoTime(row.completed_at),
});

/** The sentence for users that a stored failure code stands for. */
export const sentenceOf = (code: FailureCode | null): string | null =>
  code === null ? null : failureReasons[code];
