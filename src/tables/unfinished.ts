// The conditions that a payment or a withdrawal is unfinished or unresolved, for statements on rows that refer to it.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { unfinished } from '../../machines/states.ts';
import { oneOf } from '../platform/database/one-of.ts';
import { prepared } from './prepared.ts';

/** @param id the columns with the id and the user of the payment or withdrawal. */
export const isUnfinishedMoney = (
  id: RawBuilder<unknown>,
  userId: RawBuilder<unknown>,
): RawBuilder<SqlBool> => sql`(
  exists (
    select from pix_payments as payment
    where payment.id = ${id} and payment.user_id = ${userId} and payment.state in ${oneOf(unfinished.pix_payment)}
  ) or exists (
    select from withdraws as withdraw
    where withdraw.id = ${id} and withdraw.user_id = ${userId} and withdraw.state in ${oneOf(unfinished.withdraw)}
  )
)`;

/**
 * The ids of the transactions whose outcome is not certain: their payment or withdrawal is unfinished. A payment in `manual_review` is
 * resolved by its settlement.
 */
export const unresolvedTransactions: RawBuilder<unknown> = sql`(
  select transaction_id as id from pix_payments
  where state in ${oneOf(unfinished.pix_payment)} and settled_at is null
  union all
  select id from withdraws where state in ${oneOf(unfinished.withdraw)}
)`;

/** Lists those of the transactions whose outcome is not certain. */
export const listUnresolved = prepared.all(
  (_db, { ids }: { ids: string[] }) => sql<{ id: string }>`
    select id from ${unresolvedTransactions} as transaction where id = any(${ids}::uuid[])`,
);
