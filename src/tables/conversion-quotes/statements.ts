// The fresh quotes of leg 2, the reverse leg and a return. A committed quote means that a request may be in flight.
import { type RawBuilder, sql } from 'kysely';
import { LONGEST_QUOTE_LIFE_MS, QUOTE_LOCK_MS } from '../../domain/quote-life.ts';
import type { DatabaseTime } from '../../platform/database/database-time.ts';
import { equals, everyProperty, prepared } from '../prepared.ts';
import type { Entity } from '../rows.ts';

type ConversionQuote = Entity<'ConversionQuote'>;
type Key = Pick<ConversionQuote, 'providerQuoteId' | 'userId'>;
type OfLeg = Pick<ConversionQuote, 'paymentId' | 'userId' | 'leg'>;

/** Inserts a quote at the time of the database's clock. Other processes decide by it until when a request with the quote is in flight. */
export const insertConversionQuote = prepared.count(
  (db, params: Omit<ConversionQuote, 'isConsumed' | 'createdAt'>) =>
    db
      .insertInto('ConversionQuote')
      .values(everyProperty('ConversionQuote', params, { isConsumed: false, createdAt: sql`now()` })),
);

export const deleteConversionQuote = prepared.count((db, { providerQuoteId, userId }: Key) =>
  db.deleteFrom('ConversionQuote').where(equals({ providerQuoteId, userId })),
);

/** Records that a quote is not used again and still bounds how long a request with it may be in flight. */
export const markQuoteConsumed = prepared.count((db, { providerQuoteId, userId }: Key) =>
  db.updateTable('ConversionQuote').set({ isConsumed: true }).where(equals({ providerQuoteId, userId })),
);

/** The life of a quote as `overForCertainAt` bounds it. */
const boundedLife: RawBuilder<unknown> = sql`make_interval(
  secs => least(greatest(life_ms, ${sql.lit(QUOTE_LOCK_MS)}), ${sql.lit(LONGEST_QUOTE_LIFE_MS)}) / 1000.0
)`;

/** Finds the newest quote of a conversion that is still alive and that nothing is known to have used. */
export const findUsableQuote = prepared.first(
  (_db, { paymentId, userId, leg, now }: OfLeg & { now: DatabaseTime }) => sql<{ providerQuoteId: string }>`
    select provider_quote_id as "providerQuoteId" from conversion_quotes
    where payment_id = ${paymentId} and user_id = ${userId} and leg = ${leg} and not is_consumed
      and created_at + make_interval(secs => life_ms / 1000.0) > ${now}
    order by created_at desc limit 1`,
);

type End = { endsAt: Date | null };

/** Finds when the last quote of a conversion ends; null if there is none. */
export const findLastQuoteEnd = prepared.first(
  (_db, { paymentId, userId, leg }: OfLeg) => sql<End>`
    select max(created_at + ${boundedLife}) as "endsAt" from conversion_quotes
    where payment_id = ${paymentId} and user_id = ${userId} and leg = ${leg}`,
);

/** Finds when the last consumed quote of a conversion ends; null if there is none. */
export const findLastConsumedQuoteEnd = prepared.first(
  (_db, { paymentId, userId, leg }: OfLeg) => sql<End>`
    select max(created_at + ${boundedLife}) as "endsAt" from conversion_quotes
    where payment_id = ${paymentId} and user_id = ${userId} and leg = ${leg} and is_consumed`,
);
