// Quotes, and the payment that used one.

import type { Db } from '../database/orm.ts';
import type { PixQuoteRow } from '../entities/rows.ts';

export const findPixQuote = (db: Db, userId: string, id: string): Promise<PixQuoteRow | undefined> =>
  db
    .selectFrom('pix_quotes')
    .selectAll()
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst();

export type PixPaymentOfQuote = NonNullable<Awaited<ReturnType<typeof findPixPaymentOfQuote>>>;

export const findPixPaymentOfQuote = (db: Db, userId: string, quoteId: string) =>
  db
    .selectFrom('pix_payments')
    .select(['id', 'transaction_id', 'state', 'pix_key_type', 'pix_key_sealed'])
    .where('user_id', '=', userId)
    .where('quote_id', '=', quoteId)
    .executeTakeFirst();
