// Quotes, and the payment that used one.
import type { Selectable } from 'kysely';
import type { Db } from '../database/orm.ts';
import type { Tables } from '../entities/index.ts';

export type PixQuoteRow = Selectable<Tables['pix_quotes']>;

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
