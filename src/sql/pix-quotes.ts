// The prices that users were quoted.
import { sql } from 'kysely';
import { prepared } from '../database/prepared.ts';
import { UNUSED_QUOTES_KEPT_MS } from '../domain/quote-life.ts';

export const deleteUnusedQuotesOfUser = prepared.count(
  (_db, { userId }: { userId: string }) => sql`
    delete from pix_quotes
    where user_id = ${userId} and id not in (select quote_id from pix_payments where user_id = ${userId})`,
);

/** The number of rows that one statement deletes is a literal in it. */
export const UNUSED_QUOTES_PAGE = 1_000;

/** Deletes a page of unused quotes that expired within the last `hours`. Quotes that another statement has locked are skipped. */
export const deleteUnusedQuotesPage = prepared.count(
  (_db, { hours }: { hours: number }) => sql`
    delete from pix_quotes
    where (id, user_id) in (
      select quote.id, quote.user_id from pix_quotes as quote
      where quote.expires_at > now() - make_interval(hours => ${hours})
        and quote.expires_at <= now() - make_interval(secs => ${sql.lit(UNUSED_QUOTES_KEPT_MS / 1_000)})
        and not exists (
          select from pix_payments as payment
          where payment.quote_id = quote.id and payment.user_id = quote.user_id
        )
      order by quote.expires_at
      limit ${sql.lit(UNUSED_QUOTES_PAGE)}
      for update skip locked
    )`,
);
