// A quote given to a user is kept, so that it can be confirmed once, for exactly what it said. A price that was asked for
// before its user closed the account, and comes after that, is not.
import { type Insertable, sql } from 'kysely';
import type { Db } from '../database/orm.ts';
import { newId } from '../domain/ids.ts';
import { Refusal } from '../domain/refusals.ts';
import type { Tables } from '../entities/index.ts';

type NewQuote = Omit<Insertable<Tables['pix_quotes']>, 'id'>;

/**
 * One statement, which waits for a request that closes the account meanwhile.
 * @returns the id it is kept under.
 * @throws Refusal `account_closed`
 */
export async function keepQuoteOfUser(db: Db, quote: NewQuote): Promise<string> {
  const id = newId();
  const columns = { id, ...quote };
  const { numAffectedRows } = await sql`
    insert into pix_quotes (${sql.join(Object.keys(columns).map((name) => sql.ref(name)))})
    select ${sql.join(Object.values(columns))}
    from (select from users where id = ${quote.user_id} and closed_at is null for no key update) as open_account
  `.execute(db);
  if (numAffectedRows !== 1n) throw new Refusal('account_closed');
  return id;
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
