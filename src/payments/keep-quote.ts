// Stores the quote that a user received, so that it can be confirmed once on exactly its terms. A price that arrives after the user
// has closed the account is not stored.

import { newId } from '../domain/ids.ts';
import { lockMs } from '../domain/quote-life.ts';
import { Refusal } from '../domain/refusals.ts';
import type { Db } from '../platform/database/orm.ts';
import type { Entity } from '../platform/entities/rows.ts';
import { insertPixQuote, insertReceivedQuote } from '../platform/sql/pix-quotes.ts';

type NewQuote = Omit<Entity<'PixQuote'>, 'id'>;

/** A quote that was received just now; the database sets its times. */
type ReceivedQuote = Omit<NewQuote, 'createdAt' | 'expiresAt'>;

/**
 * Stores a quote unless its user has closed the account.
 * @returns the quote's id, and the time until which the user may confirm it.
 * @throws Refusal `account_closed`
 */
export async function keepQuoteOfUser(
  db: Db,
  quote: ReceivedQuote,
): Promise<{ id: string; expiresAt: Date }> {
  const id = newId();
  const lockSeconds = lockMs(quote.providerLifeMs) / 1_000;
  const kept = await insertReceivedQuote(db, { id, ...quote, lockSeconds });
  if (!kept) throw new Refusal('account_closed');
  return { id, expiresAt: kept.expiresAt };
}

/** Stores a quote with the given times and returns its id. */
export async function keepPixQuote(db: Db, quote: NewQuote): Promise<string> {
  const id = newId();
  await insertPixQuote(db, { id, ...quote });
  return id;
}
