// A quote given to a user is kept, so that it can be confirmed once, for exactly what it said. A price that was asked for
// before its user closed the account, and comes after that, is not.
import { type Insertable, sql } from 'kysely';
import type { Db } from '../database/orm.ts';
import { newId } from '../domain/ids.ts';
import { lockMs } from '../domain/quote-life.ts';
import { Refusal } from '../domain/refusals.ts';
import type { Tables } from '../entities/index.ts';

type NewQuote = Omit<Insertable<Tables['pix_quotes']>, 'id'>;

/** A quote that was received just now. */
type ReceivedQuote = Omit<NewQuote, 'created_at' | 'expires_at'> & { provider_life_ms: number };

/**
 * One statement, which waits for a request that closes the account meanwhile. Its times are the database's: another process
 * finds out by them whether the quote has expired.
 * @returns the id it is kept under, and until when the user may confirm it.
 * @throws Refusal `account_closed`
 */
export async function keepQuoteOfUser(
  db: Db,
  quote: ReceivedQuote,
): Promise<{ id: string; expiresAt: Date }> {
  const id = newId();
  const columns = { id, ...quote };
  const lockSeconds = lockMs(quote.provider_life_ms) / 1_000;
  const { rows } = await sql<{ expiresAt: Date }>`
    insert into pix_quotes (${sql.join(Object.keys(columns).map((name) => sql.ref(name)))}, created_at, expires_at)
    select ${sql.join(Object.values(columns))}, now(), now() + make_interval(secs => ${lockSeconds})
    from (select from users where id = ${quote.user_id} and closed_at is null for no key update) as open_account
    returning expires_at as "expiresAt"
  `.execute(db);
  const [kept] = rows;
  if (!kept) throw new Refusal('account_closed');
  return { id, expiresAt: kept.expiresAt };
}

/** @returns the id it is kept under. */
export async function keepPixQuote(db: Db, quote: NewQuote): Promise<string> {
  const id = newId();
  await db
    .insertInto('pix_quotes')
    .values({ id, ...quote })
    .execute();
  return id;
}
