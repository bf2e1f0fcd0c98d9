// Work that no job can finish: it waits for its user, or for an operator.
import { sql } from 'kysely';
import { awaitsUser, needsSupport } from '../../machines/states.ts';
import { oneOf } from '../database/one-of.ts';
import type { Db } from '../database/orm.ts';
import { isNotAcknowledged } from './acknowledged.ts';

/** Payments in `manual_review` that no operator has acknowledged, in `payout_failed`, and effects given up. */
export type WaitingForPeople = { manualReview: number; payoutFailed: number; exhaustedEffects: number };

export async function openDiscrepancies(db: Db): Promise<number> {
  const { many } = await db
    .selectFrom('discrepancies')
    .select(sql<number>`count(*)`.as('many'))
    .where('resolved_at', 'is', null)
    .executeTakeFirstOrThrow();
  return many;
}

export async function waitingForPeople(db: Db): Promise<WaitingForPeople> {
  const { rows } = await sql<WaitingForPeople>`
    select
      (
        select count(*) from pix_payments
        where state in ${oneOf(needsSupport.pix_payment)} and ${isNotAcknowledged}
      ) as "manualReview",
      (select count(*) from pix_payments where state in ${oneOf(awaitsUser.pix_payment)}) as "payoutFailed",
      (select count(*) from effects where status = 'exhausted') as "exhaustedEffects"
  `.execute(db);
  return rows[0] ?? { manualReview: 0, payoutFailed: 0, exhaustedEffects: 0 };
}
