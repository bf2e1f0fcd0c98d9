// The condition that a payment or a withdrawal is unfinished, for statements on rows that refer to it.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { unfinished } from '../../../machines/states.ts';
import { oneOf } from '../database/one-of.ts';

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
