// The fresh quotes that were committed for a conversion.
import type { Db } from '../database/orm.ts';

/** @returns when the last of them expires, or null when none was committed. */
export async function latestQuoteExpiry(
  db: Db,
  paymentId: string,
  leg: 'leg2' | 'reverse',
): Promise<Date | null> {
  const { expiresAt } = await db
    .selectFrom('conversion_quotes')
    .select((of) => of.fn.max('expires_at').as('expiresAt'))
    .where('payment_id', '=', paymentId)
    .where('leg', '=', leg)
    .executeTakeFirstOrThrow();
  return expiresAt;
}
