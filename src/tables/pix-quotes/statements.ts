// The prices that users were quoted.

import { sql } from 'kysely';
import { UNUSED_QUOTES_KEPT_MS } from '../../domain/quote-life.ts';
import type { DatabaseTime } from '../../platform/database/database-time.ts';
import { equals, everyProperty, prepared } from '../prepared.ts';
import { type Entity } from '../rows.ts';

type PixQuote = Entity<'PixQuote'>;

export const findPixQuote = prepared.first((db, { userId, id }: { userId: string; id: string }) =>
  db.selectFrom('PixQuote').selectAll().where(equals({ userId, id })),
);

export const insertPixQuote = prepared.count((db, quote: PixQuote) =>
  db.insertInto('PixQuote').values(everyProperty('PixQuote', quote)),
);

/**
 * Inserts a quote unless its user has closed the account. It waits for a request that closes the account. Its times are by the
 * database's clock, because another process may decide whether it has expired.
 * @param params `lockSeconds` is how long the user may confirm it.
 */
export const insertReceivedQuote = prepared.first(
  (
    _db,
    params: Omit<PixQuote, 'createdAt' | 'expiresAt'> & { now: DatabaseTime; lockSeconds: number },
  ) => sql<Pick<PixQuote, 'expiresAt'>>`
    insert into pix_quotes (id, user_id, flow, amount_brl_minor, source_currency, source_amount_minor,
      usdc_quoted_minor, rate, service_spread_bps, provider_quote_id, provider_life_ms, created_at, expires_at)
    select ${params.id}::uuid, ${params.userId}::uuid, ${params.flow}::payment_flow, ${params.amountBrlMinor}::int8,
      ${params.sourceCurrency}::home_currency, ${params.sourceAmountMinor}::int8, ${params.usdcQuotedMinor}::int8,
      ${params.rate}::numeric, ${params.serviceSpreadBps}::int4, ${params.providerQuoteId}::uuid,
      ${params.providerLifeMs}::int8, ${params.now}, ${params.now}::timestamptz + make_interval(secs => ${params.lockSeconds})
    from (select id from users where id = ${params.userId} and closed_at is null for no key update) as open_account
    returning expires_at`,
);

/** Returns whether an unused quote that was made then may have been deleted by now. Such a quote expired long ago. */
export const mayQuoteBeDeleted = prepared.first(
  (_db, { createdAt }: { createdAt: Date }) => sql<{ isOld: boolean }>`
    select ${createdAt}::timestamptz < now() - make_interval(secs => ${sql.lit(UNUSED_QUOTES_KEPT_MS / 1_000)}) as "isOld"`,
);

export const deleteUnusedQuotesOfUser = prepared.count(
  (_db, { userId }: { userId: string }) => sql`
    delete from pix_quotes
    where user_id = ${userId} and id not in (select quote_id from pix_payments where user_id = ${userId})`,
);

/** The number of quotes that one statement examines is a literal in it. */
const EXAMINED_QUOTES = 5_000;

/** A quote in the order of expiry. */
export type QuotePlace = { expiresAt: Date; id: string };

type ExpiredQuote = { id: string; userId: string; expiresAt: Date };

/** Lists a page of the quotes that expired before a time, behind one quote. */
export const listExpiredQuotes = prepared.all(
  (_db, { expiresAt, id, until }: QuotePlace & { until: DatabaseTime }) => sql<ExpiredQuote>`
    select id, user_id, expires_at from pix_quotes
    where (expires_at, id) > (${expiresAt}::timestamptz, ${id}::uuid) and expires_at <= ${until}
    order by expires_at, id
    limit ${sql.lit(EXAMINED_QUOTES)}`,
);

const isUnused = sql<boolean>`not exists (
  select 1 from pix_payments as payment where payment.quote_id = quote.id and payment.user_id = quote.user_id
)`;

/** Lists the users' quotes that no payment uses and that were not deleted yet. */
export const listUnusedQuotes = prepared.all(
  (_db, { userIds }: { userIds: string[] }) => sql<Pick<PixQuote, 'id' | 'userId'>>`
    select id, user_id as "userId" from pix_quotes as quote where user_id = any(${userIds}::uuid[]) and ${isUnused}`,
);

/** Deletes those of the quotes that no payment uses. */
export const deleteUnusedQuotes = {
  together: prepared.count(
    (_db, { userIds, ids }: { userIds: string[]; ids: string[] }) => sql`
      delete from pix_quotes as quote
      where user_id = any(${userIds}::uuid[]) and id = any(${ids}::uuid[]) and ${isUnused}`,
  ),
  /** Deletes one, unless it is locked. */
  each: prepared.count(
    (_db, { userId, id }: { userId: string; id: string }) => sql`
      delete from pix_quotes as quote
      where user_id = ${userId} and ${isUnused} and id = (
        select id from pix_quotes where user_id = ${userId} and id = ${id} for update skip locked
      )`,
  ),
};
