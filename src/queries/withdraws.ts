// Withdrawals as apps list them.
import { sql } from 'kysely';
import type { Withdraw } from '../../openapi/generated/openapi.ts';
import type { Db } from '../database/orm.ts';
import type { Entity } from '../entities/rows.ts';
import { after } from './after.ts';
import type { KeysetPage } from './paging.ts';
import { isoTime, listOf, type Rows } from './rows.ts';

const columns = [
  'id',
  'state',
  'currency',
  'amount_minor as amountMinor',
  'expected_settlement_seconds as expectedSettlementSeconds',
  'created_at as createdAt',
] as const;

export type WithdrawView = Pick<
  Entity<'Withdraw'>,
  'id' | 'state' | 'currency' | 'amountMinor' | 'expectedSettlementSeconds' | 'createdAt'
>;

export type ListedWithdraw = Omit<WithdrawView, 'createdAt'> & { createdAt: string };

export const withdrawsOf = (userId: string, request: KeysetPage): Rows<ListedWithdraw[]> =>
  listOf(sql`
    select id, state, currency, amount_minor as "amountMinor",
      expected_settlement_seconds as "expectedSettlementSeconds", created_at as "createdAt"
    from withdraws where user_id = ${userId} and ${after('withdraws', request)}
    order by created_at desc, id desc limit ${request.limit + 1}`);

export const findWithdraw = (db: Db, userId: string, id: string): Promise<WithdrawView | undefined> =>
  db
    .selectFrom('withdraws')
    .select(columns)
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst();

export type WantedWithdraw = { amountMinor: number; bankDetails: { id: string; version: number } };

/**
 * The latest withdrawal of the same amount to the same bank details within a minute, unless it failed. By the database's clock:
 * another process may have accepted it.
 */
export const findRepeatedWithdraw = (
  db: Db,
  userId: string,
  { amountMinor, bankDetails }: WantedWithdraw,
): Promise<WithdrawView | undefined> =>
  db
    .selectFrom('withdraws')
    .select(columns)
    .where('user_id', '=', userId)
    .where('created_at', '>', sql<Date>`now() - interval '1 minute'`)
    .where('amount_minor', '=', amountMinor)
    .where('bank_details_id', '=', bankDetails.id)
    .where('bank_details_version', '=', bankDetails.version)
    .where('state', '<>', 'failed')
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();

export const withdrawFrom = (row: WithdrawView | ListedWithdraw, provider: string): Withdraw => ({
  id: row.id,
  type: 'withdraw',
  status: row.state,
  sourceCurrency: row.currency,
  sourceAmount: row.amountMinor,
  provider,
  expectedSettlementSeconds: row.expectedSettlementSeconds,
  createdAt: typeof row.createdAt === 'string' ? isoTime(row.createdAt) : row.createdAt.toISOString(),
});
