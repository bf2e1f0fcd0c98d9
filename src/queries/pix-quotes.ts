// Quotes, and the payment that used one.
import { sql } from 'kysely';
import type { Db } from '../database/orm.ts';
import { columnStatement } from '../database/statement.ts';
import { UNUSED_QUOTES_KEPT_MS } from '../domain/quote-life.ts';
import type { PixPaymentRow, PixQuoteRow } from '../entities/rows.ts';
import { oneRow, type Rows, readRows } from './rows.ts';
import { type AccountState, accountStatesOf } from './wallet.ts';

export const findPixQuote = (db: Db, userId: string, id: string): Promise<PixQuoteRow | undefined> =>
  db
    .selectFrom('pix_quotes')
    .selectAll()
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst();

/** The quote with what a confirmation of it has to know, read in one statement. */
export type QuoteToConfirm = PixQuoteRow & {
  paid: PixPaymentOfQuote | null;
  accounts: AccountState[];
  /** When it was read, by the database's clock. */
  read_at: Date;
};

export async function findQuoteToConfirm(
  db: Db,
  userId: string,
  id: string,
): Promise<QuoteToConfirm | undefined> {
  const { rows } = await readQuoteToConfirm(db, { userId, id });
  return rows[0];
}

const readQuoteToConfirm = columnStatement((db, { userId, id }: { userId: string; id: string }) =>
  db
    .selectFrom('pix_quotes')
    .selectAll()
    .select([
      paymentOfQuote(userId, id).as('paid'),
      accountStatesOf(userId).as('accounts'),
      sql<Date>`now()`.as('read_at'),
    ])
    .where('user_id', '=', userId)
    .where('id', '=', id),
);

/** As JSON has it: the sealed key is hexadecimal. */
export type PixPaymentOfQuote = Pick<PixPaymentRow, 'id' | 'transaction_id' | 'state' | 'pix_key_type'> & {
  pix_key_sealed: string;
};

export const findPixPaymentOfQuote = (
  db: Db,
  userId: string,
  quoteId: string,
): Promise<PixPaymentOfQuote | null> => readRows(db, paymentOfQuote(userId, quoteId));

const paymentOfQuote = (userId: string, quoteId: string): Rows<PixPaymentOfQuote | null> =>
  oneRow(sql`
    select id, transaction_id, state, pix_key_type, pix_key_sealed from pix_payments
    where user_id = ${userId} and quote_id = ${quoteId}`);

/** Whether an unused quote that was made at `createdAt` may have been deleted by now. Such a quote expired long ago. */
export async function mayBeDeleted(db: Db, createdAt: Date): Promise<boolean> {
  const { rows } = await sql<{ isOld: boolean }>`
    select ${createdAt}::timestamptz < now() - make_interval(secs => ${UNUSED_QUOTES_KEPT_MS / 1_000}) as "isOld"
  `.execute(db);
  return rows[0]?.isOld === true;
}
