// Deletes quotes that nobody used. A user can ask for hundreds of quotes a second, so they must not stay.
import { sql } from 'kysely';
import { count } from '../batch/counters.ts';
import type { PageResult, StageContext } from '../batch/stage.ts';
import type { Db } from '../database/orm.ts';
import { UNUSED_QUOTES_KEPT_MS } from '../domain/quote-life.ts';

const PAGE_SIZE = 1_000;

/** Every minute, quotes that expired within this many hours are deleted. The nightly job looks further back. */
const LAST_HOUR = 1;
const LAST_WEEK = 7 * 24;

/** Deletes unused quotes of the last hour. @returns the number of quotes deleted. */
export async function deleteUnusedQuotes(db: Db): Promise<number> {
  for (let deleted = 0; ; ) {
    const page = await deletePage(db, LAST_HOUR);
    deleted += page;
    if (page < PAGE_SIZE) return deleted;
  }
}

/** The nightly stage: it finds what the minutely work missed while no process ran. */
export async function deleteMissedQuotes({ app, counters }: StageContext): Promise<PageResult> {
  const deleted = await deletePage(app.db, LAST_WEEK);
  count(counters, 'unused quotes removed', deleted);
  return { next: deleted < PAGE_SIZE ? null : { after: null } };
}

async function deletePage(db: Db, withinHours: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from pix_quotes
    where (id, user_id) in (
      select quote.id, quote.user_id from pix_quotes as quote
      where quote.expires_at > now() - make_interval(hours => ${withinHours})
        and quote.expires_at <= now() - make_interval(secs => ${UNUSED_QUOTES_KEPT_MS / 1_000})
        and not exists (
          select from pix_payments as payment
          where payment.quote_id = quote.id and payment.user_id = quote.user_id
        )
      order by quote.expires_at
      limit ${sql.lit(PAGE_SIZE)}
      for update skip locked
    )
  `.execute(db);
  return Number(numAffectedRows);
}
