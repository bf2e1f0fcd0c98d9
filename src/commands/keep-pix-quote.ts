// A quote given to a user is kept, so that it can be confirmed once, for exactly what it said. A price that arrives after its user
// has closed the account is not kept.
import type { Db } from '../database/orm.ts';
import { newId } from '../domain/ids.ts';
import { lockMs } from '../domain/quote-life.ts';
import { Refusal } from '../domain/refusals.ts';
import type { Entity } from '../entities/rows.ts';
import { insertPixQuote, insertReceivedQuote } from '../sql/pix-quotes.ts';

type NewQuote = Omit<Entity<'PixQuote'>, 'id'>;

/** A quote that was received just now. */
type ReceivedQuote = Omit<NewQuote, 'createdAt' | 'expiresAt'>;

/**
 * @returns the id it is kept under, and until when the user may confirm it.
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

/** @returns the id it is kept under. */
export async function keepPixQuote(db: Db, quote: NewQuote): Promise<string> {
  const id = newId();
  await insertPixQuote(db, { id, ...quote });
  return id;
}
