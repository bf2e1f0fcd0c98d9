// The fresh quotes that were committed for a conversion.
import type { Db } from '../database/orm.ts';

export type CommittedQuote = { committedAt: Date; expiresAt: Date };

/** @returns when the last of them was committed and when the last of them expires, or null when none was committed. */
export async function latestQuote(
  db: Db,
  paymentId: string,
  leg: 'leg2' | 'reverse',
): Promise<CommittedQuote | null> {
  const { committedAt, expiresAt } = await db
    .selectFrom('conversion_quotes')
    .select((of) => [of.fn.max('created_at').as('committedAt'), of.fn.max('expires_at').as('expiresAt')])
    .where('payment_id', '=', paymentId)
    .where('leg', '=', leg)
    .executeTakeFirstOrThrow();
  return committedAt && { committedAt, expiresAt };
}
